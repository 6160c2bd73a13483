// SPDX-License-Identifier: Apache-2.0
// The library's own messages. One line each, rate-limited, on stderr and on the sinks a program
// installs (doca_log.h). spdlog stays behind log.cc.
#pragma once

#include <string>

namespace warpnic {

/// Levels of enum doca_log_level.
void log_message(int level, const std::string& source, const std::string& text);

void log_error(const std::string& text);
void log_warning(const std::string& text);
void log_info(const std::string& text);

}  // namespace warpnic
