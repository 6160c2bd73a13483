// SPDX-License-Identifier: Apache-2.0
// The link that reads capture files: formats, times, layout, and files that are wrong.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "link_kit.h"
#include "nic/virtual/link/link.h"

namespace warpnic::test {
namespace {

std::string frame_text(char fill, size_t bytes) { return std::string(bytes, fill); }

std::unique_ptr<Link> open(const std::string& spec) {
  Result<std::unique_ptr<Link>> link = open_link(spec);
  EXPECT_TRUE(link.ok()) << link.status().cause();
  return link.ok() ? std::move(link.value()) : nullptr;
}

std::string sample(bool nanoseconds, bool big_endian = false) {
  FileWriter file = pcap_header(nanoseconds, 1, big_endian);
  pcap_frame(file, 1600000000, 123456, frame_text('a', 60));
  pcap_frame(file, 1600000001, 7, frame_text('b', 1514), 9000);
  pcap_frame(file, 1600000002, 0, frame_text('c', 64));
  return file.bytes();
}

TEST(Pcap, micro_and_nanosecond_files_of_both_byte_orders) {
  for (const bool nanoseconds : {false, true}) {
    for (const bool big_endian : {false, true}) {
      const TemporaryFile file(sample(nanoseconds, big_endian));
      const auto link = open("pcap:" + file.path());
      ASSERT_NE(link, nullptr);
      EXPECT_TRUE(link->lossless());
      EXPECT_FALSE(link->ended());
      const auto frames = take_frames(*link, 100);
      ASSERT_EQ(frames.size(), 3u);
      EXPECT_TRUE(link->ended());
      EXPECT_EQ(link->warning(), "");
      const uint64_t unit = nanoseconds ? 1 : 1000;
      EXPECT_EQ(frames[0].note.timestamp_ns, 1600000000000000000u + 123456 * unit);
      EXPECT_EQ(frames[1].note.timestamp_ns, 1600000001000000000u + 7 * unit);
      EXPECT_EQ(frames[0].bytes, std::vector<uint8_t>(60, 'a'));
      EXPECT_EQ(frames[1].bytes, std::vector<uint8_t>(1514, 'b'));
      EXPECT_EQ(frames[1].note.wire_len, 9000u);
      EXPECT_EQ(frames[2].note.wire_len, 64u);
    }
  }
}

TEST(Pcap, pcapng_with_nanoseconds) {
  FileWriter writer = pcapng_header();
  pcapng_frame(writer, 1600000000123456789u, frame_text('x', 61));
  pcapng_frame(writer, 1600000000123456790u, frame_text('y', 62));
  const TemporaryFile file(writer.bytes(), ".pcapng");
  const auto link = open("pcap:" + file.path());
  ASSERT_NE(link, nullptr);
  const auto frames = take_frames(*link, 100);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].note.timestamp_ns, 1600000000123456789u);
  EXPECT_EQ(frames[1].note.timestamp_ns, 1600000000123456790u);
  EXPECT_EQ(frames[1].bytes, std::vector<uint8_t>(62, 'y'));
}

TEST(Pcap, frames_start_on_64_bytes_and_are_readable_to_the_next_64) {
  const TemporaryFile file(sample(true));
  const auto link = open("pcap:" + file.path());
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(link->port().area) % kWireFrameAlignment, 0u);
  EXPECT_EQ(link->port().fill.entries, nullptr);
  for (const Taken& frame : take_frames(*link, 100)) {
    EXPECT_TRUE(frame.has_note);
    EXPECT_EQ(frame.address % kWireFrameAlignment, 0u);
    const uint64_t end = (frame.address + frame.bytes.size() + 63) / 64 * 64;
    EXPECT_LE(end, link->port().area_bytes);
  }
}

TEST(Pcap, repeat_plays_the_same_frames_again) {
  const TemporaryFile file(sample(true));
  const auto link = open("pcap:" + file.path() + ",repeat=1000");
  ASSERT_NE(link, nullptr);
  const auto frames = take_frames(*link, 5000);
  ASSERT_EQ(frames.size(), 3000u);
  for (size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i].address, frames[i % 3].address);
  }
  EXPECT_TRUE(link->ended());
}

TEST(Pcap, recorded_speed_waits_for_the_recorded_times_and_is_lossy) {
  FileWriter writer = pcap_header(true);
  pcap_frame(writer, 100, 0, frame_text('a', 60));
  pcap_frame(writer, 100, 30000000, frame_text('b', 60));  // 30 ms later
  const TemporaryFile file(writer.bytes());
  const auto link = open("pcap:" + file.path() + ",speed=recorded");
  ASSERT_NE(link, nullptr);
  EXPECT_FALSE(link->lossless());
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(link->pump());
  EXPECT_EQ(take_frames(*link, 1).size(), 1u);
  while (take_frames(*link, 1).empty()) {
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(29));
  EXPECT_TRUE(link->ended());
}

TEST(Pcap, a_file_cut_in_its_middle_is_used_up_to_the_cut_with_a_warning) {
  const std::string whole = sample(true);
  const size_t second = 24 + 16 + 60;
  for (const size_t length : {second + 5, second + 16, second + 16 + 1513}) {
    const TemporaryFile file(whole.substr(0, length));
    const auto link = open("pcap:" + file.path());
    ASSERT_NE(link, nullptr);
    EXPECT_EQ(take_frames(*link, 10).size(), 1u);
    EXPECT_NE(link->warning().find(file.path()), std::string::npos);
    EXPECT_NE(link->warning().find("after frame 1"), std::string::npos) << link->warning();
  }
}

struct Wrong {
  const char* name;
  std::string bytes;
  doca_error_t code;
  const char* says;
};

TEST(Pcap, files_that_cannot_be_played_are_refused_with_the_reason) {
  const std::string whole = sample(true);
  FileWriter chdlc = pcap_header(false, 104);
  pcap_frame(chdlc, 1, 0, frame_text('a', 22));
  const Wrong cases[] = {
      {"empty", "", DOCA_ERROR_IO_FAILED, "is empty"},
      {"header only", whole.substr(0, 24), DOCA_ERROR_IO_FAILED, "holds no frame"},
      {"cut in its header", whole.substr(0, 10), DOCA_ERROR_IO_FAILED, "cannot be read"},
      {"cut in its first frame", whole.substr(0, 60), DOCA_ERROR_IO_FAILED, "first frame"},
      {"no capture", "hello, this is not a capture file", DOCA_ERROR_IO_FAILED, "cannot be read"},
      {"not Ethernet", chdlc.bytes(), DOCA_ERROR_NOT_SUPPORTED, "C_HDLC"},
      {"not Ethernet, pcapng", pcapng_header(101).bytes(), DOCA_ERROR_NOT_SUPPORTED, "RAW"},
  };
  for (const Wrong& wrong : cases) {
    SCOPED_TRACE(wrong.name);
    const TemporaryFile file(wrong.bytes);
    const auto link = open_link("pcap:" + file.path());
    ASSERT_FALSE(link.ok());
    EXPECT_EQ(link.status().code(), wrong.code) << link.status().cause();
    EXPECT_NE(link.status().cause().find(wrong.says), std::string::npos) << link.status().cause();
    EXPECT_NE(link.status().cause().find(file.path()), std::string::npos);
  }
}

TEST(Pcap, missing_files_and_folders_are_refused) {
  const auto missing = open_link("pcap:/nonexistent/in.pcap");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), DOCA_ERROR_NOT_FOUND);
  EXPECT_NE(missing.status().cause().find("/nonexistent/in.pcap"), std::string::npos);
  const auto folder = open_link("pcap:" + testing::TempDir());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.status().code(), DOCA_ERROR_IO_FAILED);
}

TEST(Pcap, file_names_may_hold_commas_and_equals_signs) {
  const TemporaryFile file(sample(true), ",a=b,c.pcap");
  for (const char* options : {"", ",repeat=2", ",speed=max,repeat=2", ",repeat=2,speed=max"}) {
    const auto link = open("pcap:" + file.path() + options);
    ASSERT_NE(link, nullptr) << options;
    EXPECT_EQ(take_frames(*link, 10).size(), *options ? 6u : 3u) << options;
  }
}

}  // namespace
}  // namespace warpnic::test
