// SPDX-License-Identifier: Apache-2.0
// doca_log.h and doca_version.h
#include "doca_log.h"

#include <cstdarg>
#include <cstdio>
#include <vector>

#include "api/guard.h"
#include "core/log_backend.h"
#include "doca_version.h"

using namespace warpnic;

namespace {

doca_error_t create_with_file(const char* call, FILE* file, doca_log_backend** out, bool sdk) {
  return api::guard(call, [&]() -> Status {
    api::need_not_null(file);
    api::need_not_null(out);
    *out = log_add_file(file, sdk);
    return {};
  });
}

Status wrong_level(uint32_t level) {
  return Status(DOCA_ERROR_INVALID_VALUE,
                std::to_string(level) + " is no log level (10, 20, ... 70), or the backend is none "
                                        "of the kind this call is for");
}

}  // namespace

extern "C" {

doca_error_t doca_log_backend_create_standard(void) {
  return api::guard("doca_log_backend_create_standard", []() -> Status {
    log_add_standard();
    return {};
  });
}

doca_error_t doca_log_backend_create_with_file(FILE* file, doca_log_backend** out_backend) {
  return create_with_file("doca_log_backend_create_with_file", file, out_backend, false);
}

doca_error_t doca_log_backend_create_with_file_sdk(FILE* file, doca_log_backend** out_backend) {
  return create_with_file("doca_log_backend_create_with_file_sdk", file, out_backend, true);
}

doca_error_t doca_log_backend_set_level_lower_limit(doca_log_backend* backend, uint32_t level) {
  return api::guard("doca_log_backend_set_level_lower_limit", [&]() -> Status {
    return log_set_backend_level(&api::need_not_null(backend), false, level) ? Status()
                                                                           : wrong_level(level);
  });
}

doca_error_t doca_log_backend_set_sdk_level(doca_log_backend* backend, uint32_t level) {
  return api::guard("doca_log_backend_set_sdk_level", [&]() -> Status {
    return log_set_backend_level(&api::need_not_null(backend), true, level) ? Status()
                                                                          : wrong_level(level);
  });
}

doca_error_t doca_log_level_set_global_lower_limit(uint32_t level) {
  return api::guard("doca_log_level_set_global_lower_limit", [&]() -> Status {
    return log_set_global_level(false, level) ? Status() : wrong_level(level);
  });
}

doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level) {
  return api::guard("doca_log_level_set_global_sdk_limit", [&]() -> Status {
    return log_set_global_level(true, level) ? Status() : wrong_level(level);
  });
}

doca_error_t warpnic_log_level_from_text(const char* text, uint32_t* out_level) {
  return api::guard("warpnic_log_level_from_text", [&]() -> Status {
    api::need_not_null(text);
    api::need_not_null(out_level);
    if (log_level_from_text(text, out_level)) return {};
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "'" + std::string(text) +
                      "' is no log level: disable, critical, error, warning, info, debug, "
                      "trace, or 10, 20, ... 70");
  });
}

doca_error_t doca_log_register_source(const char* name, int* out_source) {
  return api::guard("doca_log_register_source", [&]() -> Status {
    api::need_not_null(name);
    api::need_not_null(out_source) = log_add_source(name);
    return {};
  });
}

void doca_log(uint32_t level, int source, int line, const char* format, ...) {
  if (format == nullptr) return;
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  (void)api::run([&]() -> Status {
    if (length < 0) return {};
    std::vector<char> text(static_cast<size_t>(length) + 1);
    std::vsnprintf(text.data(), text.size(), format, again);
    log_program_message(level, source, line, text.data());
    return {};
  });
  va_end(again);
}

const char* doca_version_runtime(void) { return DOCA_VER_STRING " (warpnic " WARPNIC_VERSION ")"; }

}  // extern "C"
