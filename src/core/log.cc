// SPDX-License-Identifier: Apache-2.0
// doca_log.h over spdlog. Two families of sinks, the program's and the library's own.
#include "core/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "core/log_backend.h"
#include "doca_log.h"

namespace {

/// Writes to a FILE that somebody else owns.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(FILE* file) : file_(file) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::fwrite(line.data(), 1, line.size(), file_);
    std::fflush(file_);
  }
  void flush_() override { std::fflush(file_); }

 private:
  FILE* file_;
};

}  // namespace

struct doca_log_backend {
  std::shared_ptr<spdlog::sinks::sink> sink;
  bool sdk;
  uint32_t most;   ///< shows levels up to this one
  uint32_t least;  ///< and not below this one; DISABLE: no lower end
};

namespace warpnic {
namespace {

constexpr unsigned kSdkLinesPerSecond = 50;

struct Log {
  std::mutex mutex;
  std::vector<std::unique_ptr<doca_log_backend>> backends;
  std::vector<std::string> sources;
  bool has_standard = false;
  bool has_sdk_backend = false;
  uint32_t program_level = DOCA_LOG_LEVEL_INFO;
  uint32_t sdk_level = DOCA_LOG_LEVEL_WARNING;  ///< that the library's backends begin with
  std::chrono::steady_clock::time_point second;
  unsigned lines_in_second = 0;
  unsigned left_out = 0;
};

std::unique_ptr<doca_log_backend> make_backend(FILE* file, bool sdk, uint32_t most,
                                               uint32_t least) {
  auto backend = std::make_unique<doca_log_backend>();
  backend->sink = std::make_shared<FileSink>(file);
  backend->sink->set_formatter(
      std::make_unique<spdlog::pattern_formatter>("[%Y-%m-%d %H:%M:%S.%f][%n] %v"));
  backend->sdk = sdk;
  backend->most = most;
  backend->least = least;
  return backend;
}

const char* level_name(uint32_t level) {
  switch (level) {
    case DOCA_LOG_LEVEL_CRIT: return "CRT";
    case DOCA_LOG_LEVEL_ERROR: return "ERR";
    case DOCA_LOG_LEVEL_WARNING: return "WRN";
    case DOCA_LOG_LEVEL_INFO: return "INF";
    case DOCA_LOG_LEVEL_DEBUG: return "DBG";
    case DOCA_LOG_LEVEL_TRACE: return "TRC";
    default: return "???";
  }
}

bool is_level(uint32_t level) {
  return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

void write(Log& log, bool sdk, uint32_t level, const std::string& source, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  const std::string name = std::string(level_name(level)) + "][" + source;
  const spdlog::details::log_msg message(name, spdlog::level::info, text);
  for (const auto& backend : log.backends) {
    if (backend->sdk != sdk || level > backend->most || level < backend->least) continue;
    backend->sink->log(message);
  }
}

bool is_shown(const Log& log, bool sdk, uint32_t level) {
  return std::any_of(log.backends.begin(), log.backends.end(), [&](const auto& backend) {
    return backend->sdk == sdk && level <= backend->most && level >= backend->least;
  });
}

/// Never destroyed: threads of the library may log while the process exits.
Log& the_log() {
  static Log* const log = [] {
    auto made = std::make_unique<Log>();
    const char* text = std::getenv("DOCA_LOG_LEVEL");
    uint32_t level = 0;
    const bool known = text != nullptr && log_level_from_text(text, &level);
    if (known) made->program_level = made->sdk_level = level;
    made->backends.push_back(make_backend(stderr, true, made->sdk_level, DOCA_LOG_LEVEL_DISABLE));
    if (text != nullptr && !known) {
      write(*made, true, DOCA_LOG_LEVEL_WARNING, "warpnic",
            "DOCA_LOG_LEVEL is '" + std::string(text) +
                "', which is no log level: disable, critical, error, warning, info, debug, trace");
    }
    return made.release();
  }();
  return *log;
}

/// False once the library has said enough within this second.
bool may_write(Log& log) {
  const auto now = std::chrono::steady_clock::now();
  if (now - log.second >= std::chrono::seconds(1)) {
    const unsigned left_out = log.left_out;
    log.second = now;
    log.lines_in_second = 0;
    log.left_out = 0;
    if (left_out != 0) {
      write(log, true, DOCA_LOG_LEVEL_WARNING, "warpnic",
            std::to_string(left_out) + " messages were left out");
    }
  }
  if (++log.lines_in_second <= kSdkLinesPerSecond) return true;
  ++log.left_out;
  return false;
}

/// A message that cannot be shown is lost; what it is about goes on.
void write_sdk(uint32_t level, const std::string& text) noexcept {
  try {
    Log& log = the_log();
    std::lock_guard lock(log.mutex);
    if (is_shown(log, true, level) && may_write(log)) write(log, true, level, "warpnic", text);
  } catch (...) {
  }
}

}  // namespace

bool log_level_from_text(const std::string& text, uint32_t* level) {
  static const struct {
    const char* name;
    uint32_t level;
  } kNames[] = {{"disable", DOCA_LOG_LEVEL_DISABLE}, {"crit", DOCA_LOG_LEVEL_CRIT},
                {"critical", DOCA_LOG_LEVEL_CRIT},   {"error", DOCA_LOG_LEVEL_ERROR},
                {"warning", DOCA_LOG_LEVEL_WARNING}, {"info", DOCA_LOG_LEVEL_INFO},
                {"debug", DOCA_LOG_LEVEL_DEBUG},     {"trace", DOCA_LOG_LEVEL_TRACE}};
  std::string lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& known : kNames) {
    if (lower == known.name || lower == std::to_string(known.level)) {
      *level = known.level;
      return true;
    }
  }
  return false;
}

void log_error(const std::string& text) noexcept { write_sdk(DOCA_LOG_LEVEL_ERROR, text); }
void log_warning(const std::string& text) noexcept { write_sdk(DOCA_LOG_LEVEL_WARNING, text); }
void log_info(const std::string& text) noexcept { write_sdk(DOCA_LOG_LEVEL_INFO, text); }

void log_add_standard() {
  Log& log = the_log();
  std::lock_guard lock(log.mutex);
  if (log.has_standard) return;
  log.has_standard = true;
  log.backends.push_back(
      make_backend(stderr, false, DOCA_LOG_LEVEL_WARNING, DOCA_LOG_LEVEL_DISABLE));
  log.backends.push_back(make_backend(stdout, false, DOCA_LOG_LEVEL_TRACE, DOCA_LOG_LEVEL_INFO));
}

doca_log_backend* log_add_file(FILE* file, bool sdk) {
  Log& log = the_log();
  std::lock_guard lock(log.mutex);
  log.backends.push_back(make_backend(file, sdk,
                                      sdk ? log.sdk_level : uint32_t{DOCA_LOG_LEVEL_TRACE},
                                      DOCA_LOG_LEVEL_DISABLE));
  doca_log_backend* const added = log.backends.back().get();
  if (sdk && !log.has_sdk_backend) {
    log.has_sdk_backend = true;
    log.backends.erase(log.backends.begin());  // the one that stood in for it
  }
  return added;
}

bool log_set_backend_level(doca_log_backend* backend, bool sdk, uint32_t level) {
  Log& log = the_log();
  std::lock_guard lock(log.mutex);
  const bool known = std::any_of(log.backends.begin(), log.backends.end(),
                                 [&](const auto& one) { return one.get() == backend; });
  if (!known || backend->sdk != sdk || !is_level(level)) return false;
  backend->most = level;
  return true;
}

bool log_set_global_level(bool sdk, uint32_t level) {
  Log& log = the_log();
  std::lock_guard lock(log.mutex);
  if (!is_level(level)) return false;
  (sdk ? log.sdk_level : log.program_level) = level;
  if (sdk) {  // also lets through more than a backend asked for, and holds for later ones
    for (const auto& backend : log.backends) {
      if (backend->sdk) backend->most = level;
    }
  }
  return true;
}

int log_add_source(const std::string& name) {
  Log& log = the_log();
  std::lock_guard lock(log.mutex);
  log.sources.push_back(name);
  return static_cast<int>(log.sources.size()) - 1;
}

void log_program_message(uint32_t level, int source, int line, const std::string& text) {
  Log& log = the_log();
  std::lock_guard lock(log.mutex);
  if (level > log.program_level) return;
  const bool known = source >= 0 && static_cast<size_t>(source) < log.sources.size();
  const std::string name = known ? log.sources[static_cast<size_t>(source)] : "?";
  write(log, false, level, name + ":" + std::to_string(line), text);
}

}  // namespace warpnic
