// SPDX-License-Identifier: Apache-2.0
// doca_log.h from outside. The program starts itself again where the environment or the state at
// the first use matters: `unit_log --say` logs one message at each level, then ends.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "doca_ctx.h"
#include "doca_eth_rxq.h"
#include "doca_log.h"
#include "doca_version.h"

DOCA_LOG_REGISTER(TEST::LOG);

namespace {

std::string own_path;

/// What a shell command prints.
std::string output_of(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  std::string text;
  std::array<char, 4096> part;
  while (const size_t bytes = fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), bytes);
  }
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

/// "1 2 ...": which of the child's program messages, and "E" or "EI" for the library's own.
std::string shown(const std::string& text) {
  std::string found;
  for (const char* mark : {"one", "two", "three", "four", "five", "six"}) {
    if (text.find(mark) != std::string::npos) found += std::string(mark) + " ";
  }
  if (text.find("][ERR][warpnic] doca_ctx_start") != std::string::npos) found += "E";
  if (text.find("][INF][warpnic] ") != std::string::npos) found += "I";
  return found;
}

std::string say(const std::string& environment, const std::string& arguments,
                const std::string& redirect) {
  return shown(output_of(environment + " '" + own_path + "' --say " + arguments + " " + redirect));
}

/// A file that log backends may write to until the process ends.
class LogFile {
 public:
  LogFile() : path_(testing::TempDir() + "warpnic-log-XXXXXX") {
    const int descriptor = mkstemp(path_.data());
    file = fdopen(descriptor, "w");
  }
  ~LogFile() { unlink(path_.c_str()); }
  std::vector<std::string> lines() const {
    std::ifstream in(path_);
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  FILE* file = nullptr;

 private:
  std::string path_;
};

size_t count_of(const std::vector<std::string>& lines, const std::string& part) {
  size_t count = 0;
  for (const std::string& line : lines) count += line.find(part) != std::string::npos ? 1 : 0;
  return count;
}

void library_error() { (void)doca_ctx_start(nullptr); }
/// A question whose answer is no: the library tells why at level INFO.
void library_info() {
  (void)doca_eth_rxq_cap_is_type_supported(nullptr, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                           DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU);
}

TEST(LogAtFirst, TheLibrarysErrorsAppearOnStderrAndNothingElse) {
  EXPECT_EQ(say("env -u DOCA_LOG_LEVEL", "", "2>&1 >/dev/null"), "E");
  EXPECT_EQ(say("env -u DOCA_LOG_LEVEL", "", "2>/dev/null"), "");
}

TEST(LogAtFirst, StandardBackendSplitsProgramMessagesByLevel) {
  EXPECT_EQ(say("env -u DOCA_LOG_LEVEL", "standard", "2>/dev/null"), "four ");
  EXPECT_EQ(say("env -u DOCA_LOG_LEVEL", "standard", "2>&1 >/dev/null"), "one two three E");
}

TEST(LogAtFirst, EnvironmentSetsBothLevels) {
  EXPECT_EQ(say("DOCA_LOG_LEVEL=trace", "standard", "2>&1"), "one two three four five six EI");
  EXPECT_EQ(say("DOCA_LOG_LEVEL=60", "standard", "2>&1"), "one two three four five EI");
  EXPECT_EQ(say("DOCA_LOG_LEVEL=CRITICAL", "standard", "2>&1"), "one ");
  EXPECT_EQ(say("DOCA_LOG_LEVEL=disable", "standard", "2>&1"), "");
}

TEST(LogAtFirst, AWrongEnvironmentIsNamed) {
  const std::string text = output_of("DOCA_LOG_LEVEL=loud '" + own_path + "' --say standard 2>&1");
  EXPECT_NE(text.find("DOCA_LOG_LEVEL is 'loud'"), std::string::npos) << text;
  EXPECT_EQ(shown(text), "one two three four E");
}

TEST(LogAtFirst, TheGlobalSdkLimitIsWhatSdkLogLevelSets) {
  EXPECT_EQ(say("env -u DOCA_LOG_LEVEL", "sdk=50", "2>&1"), "EI");
  EXPECT_EQ(say("env -u DOCA_LOG_LEVEL", "sdk=10", "2>&1"), "");
}

// covers: doca_log_backend_create_with_file SUCCESS, doca_log_backend_set_level_lower_limit SUCCESS
TEST(Log, ProgramMessagesCarryLevelSourceAndLineOnOneLine) {
  LogFile log;
  doca_log_backend* backend = nullptr;
  ASSERT_EQ(doca_log_backend_create_with_file(log.file, &backend), DOCA_SUCCESS);
  const int line = __LINE__ + 1;
  DOCA_LOG_ERR("%s %d\nsecond line\n", "text", 42);
  ASSERT_EQ(log.lines().size(), 1u);
  const std::string written = log.lines()[0];
  EXPECT_NE(written.find("[ERR][TEST::LOG:" + std::to_string(line) + "] text 42 second line"),
            std::string::npos)
      << written;
  EXPECT_EQ(written.back(), 'e') << written;

  ASSERT_EQ(doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_CRIT), DOCA_SUCCESS);
  DOCA_LOG_ERR("hidden");
  DOCA_LOG_CRIT("seen");
  EXPECT_EQ(log.lines().size(), 2u);
  library_error();
  EXPECT_EQ(log.lines().size(), 2u) << "the library's own go elsewhere";
}

// covers: doca_log_level_set_global_lower_limit SUCCESS INVALID_VALUE
// covers: doca_log_level_set_global_sdk_limit SUCCESS INVALID_VALUE
TEST(Log, TheGlobalLimitHoldsForAllProgramBackends) {
  LogFile log;
  doca_log_backend* backend = nullptr;
  ASSERT_EQ(doca_log_backend_create_with_file(log.file, &backend), DOCA_SUCCESS);
  ASSERT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_ERROR), DOCA_SUCCESS);
  DOCA_LOG_WARN("hidden");
  DOCA_LOG_ERR("seen");
  for (const uint32_t no_level : {0u, 1u, 35u, 80u, ~0u}) {
    EXPECT_EQ(doca_log_level_set_global_lower_limit(no_level), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_log_level_set_global_sdk_limit(no_level), DOCA_ERROR_INVALID_VALUE);
  }
  ASSERT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO), DOCA_SUCCESS);
  EXPECT_EQ(log.lines().size(), 1u);
  EXPECT_EQ(count_of(log.lines(), "seen"), 1u);
}

// covers: doca_log_backend_create_with_file_sdk SUCCESS, doca_log_backend_set_sdk_level SUCCESS
TEST(Log, AnSdkBackendGetsTheLibrarysMessagesWithTheirCause) {
  LogFile log;
  doca_log_backend* backend = nullptr;
  ASSERT_EQ(doca_log_backend_create_with_file_sdk(log.file, &backend), DOCA_SUCCESS);
  library_error();
  ASSERT_EQ(log.lines().size(), 1u);
  EXPECT_NE(log.lines()[0].find("doca_ctx_start: an argument is NULL"), std::string::npos);
  DOCA_LOG_ERR("the program's");
  EXPECT_EQ(log.lines().size(), 1u);
  ASSERT_EQ(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
  library_error();
  EXPECT_EQ(log.lines().size(), 1u);
}

TEST(Log, TheLibrarysRateIsLimitedAndNothingIsLostUncounted) {
  LogFile log;
  doca_log_backend* backend = nullptr;
  ASSERT_EQ(doca_log_backend_create_with_file_sdk(log.file, &backend), DOCA_SUCCESS);
  constexpr size_t kMessages = 20000;
  for (size_t i = 0; i < kMessages; ++i) library_error();
  // In a later second the log says how many it left out.
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  library_error();
  size_t shown_lines = 0, left_out = 0;
  for (const std::string& line : log.lines()) {
    const size_t at = line.find(" messages were left out");
    if (at == std::string::npos) {
      ++shown_lines;
    } else {
      left_out += std::stoul(line.substr(line.rfind(' ', at - 1) + 1));
    }
  }
  EXPECT_GT(left_out, 0u);
  EXPECT_EQ(shown_lines + left_out, kMessages + 1);
  ASSERT_EQ(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
}

TEST(Log, MessagesNobodySeesDoNotUseUpTheRate) {
  LogFile log;
  doca_log_backend* backend = nullptr;
  ASSERT_EQ(doca_log_backend_create_with_file_sdk(log.file, &backend), DOCA_SUCCESS);
  for (int i = 0; i < 1000; ++i) library_info();
  // Another test may have used up this second.
  for (int i = 0; i < 100 && log.lines().empty(); ++i) {
    library_error();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_GE(log.lines().size(), 1u);
  EXPECT_EQ(count_of(log.lines(), "messages were left out"), 0u);
  ASSERT_EQ(doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_DISABLE), DOCA_SUCCESS);
}

// covers: doca_log_backend_create_with_file INVALID_VALUE
// covers: doca_log_backend_create_with_file_sdk INVALID_VALUE
// covers: doca_log_backend_set_level_lower_limit INVALID_VALUE
// covers: doca_log_backend_set_sdk_level INVALID_VALUE
// covers: doca_log_register_source INVALID_VALUE
TEST(Log, RefusesWrongArguments) {
  LogFile log;
  doca_log_backend* program = nullptr;
  doca_log_backend* sdk = nullptr;
  EXPECT_EQ(doca_log_backend_create_with_file(nullptr, &program), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_backend_create_with_file(log.file, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_backend_create_with_file_sdk(nullptr, &sdk), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_backend_create_with_file_sdk(log.file, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(sdk, nullptr);
  ASSERT_EQ(doca_log_backend_create_with_file(log.file, &program), DOCA_SUCCESS);
  ASSERT_EQ(doca_log_backend_create_with_file_sdk(log.file, &sdk), DOCA_SUCCESS);
  EXPECT_EQ(doca_log_backend_set_sdk_level(program, DOCA_LOG_LEVEL_INFO),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_backend_set_level_lower_limit(sdk, DOCA_LOG_LEVEL_INFO),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_backend_set_sdk_level(nullptr, DOCA_LOG_LEVEL_INFO),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_backend_set_level_lower_limit(nullptr, DOCA_LOG_LEVEL_INFO),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_backend_set_sdk_level(sdk, 42), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_log_register_source("A", nullptr), DOCA_ERROR_INVALID_VALUE);
  int source = 7;
  EXPECT_EQ(doca_log_register_source(nullptr, &source), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(source, 7);
  doca_log(DOCA_LOG_LEVEL_ERROR, -1, 1, "no source: %d", 1);
  EXPECT_EQ(count_of(log.lines(), "no source: 1"), 1u);
}

// covers: warpnic_log_level_from_text SUCCESS INVALID_VALUE
TEST(Log, LevelsHaveNamesAndNumbers) {
  uint32_t level = 0;
  EXPECT_EQ(warpnic_log_level_from_text("Warning", &level), DOCA_SUCCESS);
  EXPECT_EQ(level, uint32_t{DOCA_LOG_LEVEL_WARNING});
  EXPECT_EQ(warpnic_log_level_from_text("70", &level), DOCA_SUCCESS);
  EXPECT_EQ(level, uint32_t{DOCA_LOG_LEVEL_TRACE});
  for (const char* text : {"", "loud", "71", "7 0", "warn!"}) {
    EXPECT_EQ(warpnic_log_level_from_text(text, &level), DOCA_ERROR_INVALID_VALUE) << text;
  }
  EXPECT_EQ(warpnic_log_level_from_text(nullptr, &level), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(warpnic_log_level_from_text("error", nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(level, uint32_t{DOCA_LOG_LEVEL_TRACE});
}

TEST(Version, HeadersAndLibraryTellTheirs) {
  EXPECT_STREQ(doca_version(), DOCA_VER_STRING);
  EXPECT_EQ(std::string(doca_version_runtime()).find(DOCA_VER_STRING " (warpnic "), 0u);
}

/// The child's part.
int say_all(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "standard") (void)doca_log_backend_create_standard();
    if (argument.rfind("sdk=", 0) == 0) {
      (void)doca_log_level_set_global_sdk_limit(std::stoul(argument.substr(4)));
    }
  }
  DOCA_LOG_CRIT("one");
  DOCA_LOG_ERR("two");
  DOCA_LOG_WARN("three");
  DOCA_LOG_INFO("four");
  DOCA_LOG_DBG("five");
  DOCA_LOG_TRC("six");
  library_error();
  library_info();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--say") return say_all(argc, argv);
  own_path.resize(4096);
  const ssize_t length = readlink("/proc/self/exe", own_path.data(), own_path.size());
  own_path.resize(length > 0 ? static_cast<size_t>(length) : 0);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
