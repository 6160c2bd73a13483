// SPDX-License-Identifier: Apache-2.0
// Sinks and levels, for the entry points of doca_log.h. Everything thread-safe.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

struct doca_log_backend;

namespace warpnic {

bool log_level_from_text(const std::string& text, uint32_t* level);
void log_add_standard();
/// A backend that lives until the process ends.
doca_log_backend* log_add_file(FILE* file, bool sdk);
/// False: no such level, or no such backend of that kind.
bool log_set_backend_level(doca_log_backend* backend, bool sdk, uint32_t level);
bool log_set_global_level(bool sdk, uint32_t level);
int log_add_source(const std::string& name);
void log_program_message(uint32_t level, int source, int line, const std::string& text);

}  // namespace warpnic
