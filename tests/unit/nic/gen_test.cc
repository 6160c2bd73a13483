// SPDX-License-Identifier: Apache-2.0
// The generator: sizes, flows, protocols, rates, and frames that are right to the last checksum.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "link_kit.h"
#include "warpnic/port/wait.h"
#include "nic/virtual/link/link.h"

namespace warpnic::test {
namespace {

std::vector<Taken> frames_of(const std::string& spec, size_t most) {
  const Result<std::unique_ptr<Link>> link = open_link(spec);
  EXPECT_TRUE(link.ok()) << link.status().cause();
  return link.ok() ? take_frames(*link.value(), most) : std::vector<Taken>();
}

uint32_t ones_complement_sum(const uint8_t* bytes, size_t count, uint32_t sum = 0) {
  for (size_t i = 0; i < count; ++i) sum += i % 2 ? bytes[i] : uint32_t{bytes[i]} << 8;
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

/// True if IP and transport checksums of an untagged IPv4 frame are right and lengths agree.
void expect_right(const Taken& frame) {
  const uint8_t* ip = frame.bytes.data() + 14;
  const size_t ip_bytes = frame.bytes.size() - 14;
  ASSERT_EQ(frame.bytes[12], 0x08);
  ASSERT_EQ(ip[0], 0x45);
  EXPECT_EQ(ip[2] << 8 | ip[3], static_cast<int>(ip_bytes));
  EXPECT_EQ(ones_complement_sum(ip, 20), 0xffffu);
  const size_t transport_bytes = ip_bytes - 20;
  uint32_t pseudo = 0;
  if (ip[9] != 1) {
    pseudo = ones_complement_sum(ip + 12, 8) + ip[9] + static_cast<uint32_t>(transport_bytes);
  }
  EXPECT_EQ(ones_complement_sum(ip + 20, transport_bytes, pseudo), 0xffffu)
      << "protocol " << +ip[9] << ", " << frame.bytes.size() << " bytes";
  if (ip[9] == 17) {
    EXPECT_EQ(ip[24] << 8 | ip[25], static_cast<int>(transport_bytes));
  }
}

std::vector<uint8_t> flow_of(const Taken& frame) {
  std::vector<uint8_t> key(frame.bytes.begin() + 26, frame.bytes.begin() + 38);
  if (frame.bytes[23] == 1) {  // ICMP: no ports but an identifier
    key.resize(8);
    key.insert(key.end(), frame.bytes.begin() + 38, frame.bytes.begin() + 40);
  }
  key.push_back(frame.bytes[23]);
  return key;
}

TEST(Gen, count_ends_the_link_and_frames_have_the_size) {
  const auto link = open_link("gen:size=60,count=3000");
  ASSERT_TRUE(link.ok());
  EXPECT_TRUE(link.value()->lossless());
  const auto frames = take_frames(*link.value(), 100000);
  EXPECT_EQ(frames.size(), 3000u);
  EXPECT_TRUE(link.value()->ended());
  for (const Taken& frame : frames) {
    EXPECT_EQ(frame.bytes.size(), 60u);
    EXPECT_FALSE(frame.has_note);  // the engine notes the time of arrival
    EXPECT_EQ(frame.address % kWireFrameAlignment, 0u);
  }
}

TEST(Gen, all_checksums_are_right_for_every_protocol_and_size) {
  for (const char* proto : {"udp", "tcp", "icmp", "mix"}) {
    for (const char* size : {"60", "61", "64", "1514", "1515", "65535", "imix"}) {
      SCOPED_TRACE(std::string(proto) + " " + size);
      for (const Taken& frame : frames_of(
               std::string("gen:flows=9,count=40,proto=") + proto + ",size=" + size, 100)) {
        expect_right(frame);
      }
    }
  }
}

TEST(Gen, number_of_flows_is_as_asked_and_mix_holds_all_protocols) {
  std::map<uint8_t, std::set<std::vector<uint8_t>>> flows;
  size_t all = 0;
  for (const Taken& frame : frames_of("gen:flows=99,proto=mix,count=20000", 20000)) {
    if (flows[frame.bytes[23]].insert(flow_of(frame)).second) ++all;
  }
  EXPECT_EQ(all, 99u);
  EXPECT_EQ(flows[17].size(), 33u);
  EXPECT_EQ(flows[6].size(), 33u);
  EXPECT_EQ(flows[1].size(), 33u);
}

TEST(Gen, imix_is_seven_to_four_to_one) {
  std::map<size_t, size_t> sizes;
  for (const Taken& frame : frames_of("gen:size=imix,flows=5,count=12000", 12000)) {
    ++sizes[frame.bytes.size()];
  }
  EXPECT_EQ(sizes[60], 7000u);
  EXPECT_EQ(sizes[590], 4000u);
  EXPECT_EQ(sizes[1514], 1000u);
}

TEST(Gen, seed_decides_everything) {
  const auto bytes_of = [](const std::string& spec) {
    std::vector<std::vector<uint8_t>> all;
    for (const Taken& frame : frames_of(spec, 500)) all.push_back(frame.bytes);
    return all;
  };
  const auto one = bytes_of("gen:flows=50,count=500,seed=1");
  EXPECT_EQ(one, bytes_of("gen:flows=50,count=500,seed=1"));
  EXPECT_NE(one, bytes_of("gen:flows=50,count=500,seed=2"));
}

TEST(Gen, a_rate_makes_the_link_lossy_and_is_not_exceeded) {
  const Result<std::unique_ptr<Link>> link = open_link("gen:rate=1000");
  ASSERT_TRUE(link.ok());
  EXPECT_FALSE(link.value()->lossless());
  const uint64_t start = now_ns();
  size_t frames = 0;
  while (frames < 20) frames += take_frames(*link.value(), 1000).size();
  const uint64_t elapsed = now_ns() - start;
  EXPECT_LE(frames, elapsed / 1000000 + 1);
  EXPECT_GE(elapsed, 19 * 1000000u);
}

TEST(Gen, wrong_options_are_refused_and_named) {
  struct Case {
    const char* spec;
    const char* says;
    doca_error_t code = DOCA_ERROR_INVALID_VALUE;
  };
  const Case cases[] = {
      {"gen:size=59", "size=59"},
      {"gen:size=65536", "from 60 to 65535"},
      {"gen:size=abc", "size=abc"},
      {"gen:size=", "size="},
      {"gen:flows=0", "flows=0"},
      {"gen:flows=-1", "flows=-1"},
      {"gen:rate=fast", "rate=fast"},
      {"gen:proto=sctp", "udp, tcp, icmp or mix"},
      {"gen:colour=blue", "colour=blue"},
      {"gen:size=60,colour=blue", "colour=blue"},
      {"gen:count=1x", "count=1x"},
      {"gen:flows=16000000,size=1514", "1 GiB", DOCA_ERROR_NO_MEMORY},
      {"pcap:", "names no file"},
      {"pcap:x.pcap,speed=warp", "max or recorded"},
      {"pcap:x.pcap,repeat=0", "repeat=0"},
      {"tap:x", "no known kind"},
      {"", "no known kind"},
  };
  for (const Case& wrong : cases) {
    SCOPED_TRACE(wrong.spec);
    const auto link = open_link(wrong.spec);
    ASSERT_FALSE(link.ok());
    EXPECT_EQ(link.status().code(), wrong.code);
    EXPECT_NE(link.status().cause().find(wrong.says), std::string::npos) << link.status().cause();
  }
}

}  // namespace
}  // namespace warpnic::test
