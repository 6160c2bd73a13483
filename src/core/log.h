// SPDX-License-Identifier: Apache-2.0
// The library's own messages. One line each, rate-limited, on stderr or on the backends a program
// installs (doca_log.h). spdlog stays behind log.cc. Thread-safe.
#pragma once

#include <string>

namespace warpnic {

void log_error(const std::string& text) noexcept;
void log_warning(const std::string& text) noexcept;
void log_info(const std::string& text) noexcept;

}  // namespace warpnic
