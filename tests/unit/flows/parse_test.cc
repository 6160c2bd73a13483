// SPDX-License-Identifier: Apache-2.0
// From frames to flows: what counts as a flow and under which key, what as malformed or not IP, and
// that nothing behind a frame's end is read.
#include "flows/parse.h"

#include <random>
#include <string>

#include "frames.h"

namespace flows {
namespace {

/// Parses a copy whose end is guarded.
Parsed look(const Bytes& frame) {
  Guarded memory(frame.size() + 1);
  return parse(memory.put(frame.data(), frame.size()), static_cast<uint32_t>(frame.size()));
}

void expect_flow(const Bytes& frame, uint8_t version, uint8_t protocol, uint16_t source_port,
                 uint16_t destination_port) {
  const Parsed parsed = look(frame);
  ASSERT_EQ(Kind::kFlow, parsed.kind);
  EXPECT_EQ(version, parsed.key.version());
  EXPECT_EQ(protocol, parsed.key.protocol());
  EXPECT_EQ(source_port, parsed.key.source_port());
  EXPECT_EQ(destination_port, parsed.key.destination_port());
  uint8_t addresses[32];
  std::memcpy(addresses, parsed.key.address, sizeof addresses);
  Bytes expected(32, 0);
  if (version == 4) {
    expected[0] = expected[16] = 10;
    expected[3] = 1;
    expected[19] = 2;
  } else {
    expected[0] = expected[16] = 0xfd;
    expected[15] = 1;
    expected[31] = 2;
  }
  EXPECT_EQ(0, std::memcmp(expected.data(), addresses, 32));
}

void expect_malformed(const Bytes& frame) { EXPECT_EQ(Kind::kMalformed, look(frame).kind); }

void expect_not_ip(const Bytes& frame, uint16_t type) {
  const Parsed parsed = look(frame);
  EXPECT_EQ(Kind::kNonIp, parsed.kind);
  EXPECT_EQ(type, parsed.ether_type);
}

const Bytes kIpv4Ethernet = ethernet({0x0800});
const Bytes kIpv6Ethernet = ethernet({0x86dd});

TEST(FlowsParse, ethernet_header_that_is_cut_is_malformed) {
  for (size_t bytes = 0; bytes < 14; ++bytes) expect_malformed(Bytes(bytes, 0x08));
}

TEST(FlowsParse, types_that_are_not_ip_are_told) {
  expect_not_ip(ethernet({0x0806}), 0x0806);
  expect_not_ip(ethernet({0x88cc}) + zeros(40), 0x88cc);
  expect_not_ip(ethernet({0x05ff}) + zeros(40), 0x05ff);  // a length: IEEE 802.3
  expect_not_ip(ethernet({0}) + zeros(40), 0);
  expect_not_ip(ethernet({0xffff}) + zeros(40), 0xffff);
}

TEST(FlowsParse, tcp_udp_udp_lite_and_sctp_have_ports) {
  for (const unsigned protocol : {6, 17, 136, 132}) {
    const auto number = static_cast<uint8_t>(protocol);
    expect_flow(kIpv4Ethernet + ipv4({number, 40}) + ports(20), 4, number, 1234, 53);
    expect_flow(kIpv6Ethernet + ipv6(number, 20) + ports(20), 6, number, 1234, 53);
  }
}

TEST(FlowsParse, no_other_protocol_has_ports) {
  for (unsigned protocol = 0; protocol < 256; ++protocol) {
    if (protocol == 6 || protocol == 17 || protocol == 136 || protocol == 132) continue;
    const auto number = static_cast<uint8_t>(protocol);
    expect_flow(kIpv4Ethernet + ipv4({number, 60}) + ports(40), 4, number, 0, 0);
    if (number == 0 || number == 43 || number == 44 || number == 51 || number == 60) continue;
    expect_flow(kIpv6Ethernet + ipv6(number, 40) + ports(40), 6, number, 0, 0);
  }
}

TEST(FlowsParse, ports_are_0_where_the_transport_header_is_cut) {
  const struct {
    uint8_t protocol;
    size_t header;
  } all[] = {{6, 20}, {17, 8}, {136, 8}, {132, 12}};
  for (const auto& [protocol, header] : all) {
    for (size_t bytes = 0; bytes <= header; ++bytes) {
      Bytes transport = ports(header);
      transport.resize(bytes);
      const bool whole = bytes == header;
      // Cut by the capture: the total length tells of more than is there.
      expect_flow(kIpv4Ethernet + ipv4({protocol, 1000}) + transport, 4, protocol,
                  whole ? 1234 : 0, whole ? 53 : 0);
      expect_flow(kIpv6Ethernet + ipv6(protocol, 1000) + transport, 6, protocol,
                  whole ? 1234 : 0, whole ? 53 : 0);
      // Cut by the IP header; what follows is padding of the frame.
      expect_flow(kIpv4Ethernet + ipv4({protocol, 20 + static_cast<unsigned>(bytes)}) + ports(46),
                  4, protocol, whole ? 1234 : 0, whole ? 53 : 0);
      if (bytes == 0) continue;  // a payload length of 0 means "to the end of the frame"
      expect_flow(kIpv6Ethernet + ipv6(protocol, static_cast<unsigned>(bytes)) + ports(46), 6,
                  protocol, whole ? 1234 : 0, whole ? 53 : 0);
    }
  }
}

TEST(FlowsParse, one_and_two_tags_of_each_kind_are_passed) {
  for (const unsigned outer : {0x8100, 0x88a8, 0x9100}) {
    expect_flow(ethernet({outer, 0x0800}) + ipv4({17, 28}) + ports(8), 4, 17, 1234, 53);
    expect_not_ip(ethernet({outer, 0x0806}) + zeros(28), 0x0806);
    for (const unsigned inner : {0x8100, 0x88a8, 0x9100}) {
      expect_flow(ethernet({outer, inner, 0x86dd}) + ipv6(17, 8) + ports(8), 6, 17, 1234, 53);
      expect_not_ip(ethernet({outer, inner, 0x0100}) + zeros(28), 0x0100);
    }
  }
}

TEST(FlowsParse, a_third_tag_is_not_ip_under_its_value) {
  for (const unsigned third : {0x8100, 0x88a8, 0x9100}) {
    expect_not_ip(ethernet({0x88a8, 0x8100, third, 0x0800}) + ipv4({17, 28}) + ports(8),
                  static_cast<uint16_t>(third));
    expect_not_ip(ethernet({0x88a8, 0x8100, third}), static_cast<uint16_t>(third));
  }
}

TEST(FlowsParse, a_tag_that_is_cut_is_malformed) {
  for (size_t bytes = 0; bytes < 4; ++bytes) {
    expect_malformed(ethernet({0x8100}) + zeros(bytes));
    expect_malformed(ethernet({0x88a8, 0x8100}) + zeros(bytes));
  }
}

TEST(FlowsParse, ipv4_options_move_the_ports) {
  for (unsigned words = 5; words <= 15; ++words) {
    Bytes frame = kIpv4Ethernet + ipv4({17, words * 4 + 8, words}) + Bytes(words * 4 - 20, 1);
    expect_flow(frame + ports(8), 4, 17, 1234, 53);
    frame.pop_back();
    if (words > 5) expect_malformed(frame);  // options are a part of the header
  }
}

TEST(FlowsParse, ipv4_header_that_is_cut_or_contradicts_itself_is_malformed) {
  for (size_t bytes = 0; bytes < 20; ++bytes) {
    Bytes header = ipv4({17, 28});
    header.resize(bytes);
    expect_malformed(kIpv4Ethernet + header);
  }
  for (unsigned version = 0; version < 16; ++version) {
    if (version == 4) continue;
    expect_malformed(kIpv4Ethernet + ipv4({17, 28, 5, 0, static_cast<uint8_t>(version)}) +
                     ports(8));
  }
  for (unsigned words = 0; words < 5; ++words) {
    expect_malformed(kIpv4Ethernet + ipv4({17, 28, words}) + ports(8));
  }
  for (unsigned total = 1; total < 20; ++total) {
    expect_malformed(kIpv4Ethernet + ipv4({17, total}) + ports(8));
  }
  expect_malformed(kIpv4Ethernet + ipv4({17, 23, 6}) + zeros(4) + ports(8));
}

TEST(FlowsParse, ipv4_total_length_0_reaches_to_the_end_of_the_frame) {
  expect_flow(kIpv4Ethernet + ipv4({6, 0}) + ports(20) + zeros(9000), 4, 6, 1234, 53);
  expect_flow(kIpv4Ethernet + ipv4({6, 0}) + ports(19), 4, 6, 0, 0);
}

TEST(FlowsParse, only_the_first_ipv4_fragment_has_ports) {
  expect_flow(kIpv4Ethernet + ipv4({17, 28, 5, 0x2000}) + ports(8), 4, 17, 1234, 53);
  expect_flow(kIpv4Ethernet + ipv4({17, 28, 5, 0x2001}) + ports(8), 4, 17, 0, 0);
  for (unsigned bit = 0; bit < 13; ++bit) {
    expect_flow(kIpv4Ethernet + ipv4({17, 28, 5, 1u << bit}) + ports(8), 4, 17, 0, 0);
  }
  expect_flow(kIpv4Ethernet + ipv4({17, 28, 5, 0x4000}) + ports(8), 4, 17, 1234, 53);
  expect_flow(kIpv4Ethernet + ipv4({17, 28, 5, 0x8000}) + ports(8), 4, 17, 1234, 53);
}

TEST(FlowsParse, ipv6_header_that_is_cut_or_of_another_version_is_malformed) {
  for (size_t bytes = 0; bytes < 40; ++bytes) {
    Bytes header = ipv6(17, 8);
    header.resize(bytes);
    expect_malformed(kIpv6Ethernet + header);
  }
  for (unsigned version = 0; version < 16; ++version) {
    if (version == 6) continue;
    expect_malformed(kIpv6Ethernet + ipv6(17, 8, static_cast<uint8_t>(version)) + ports(8));
  }
}

/// An extension header of `bytes` bytes that `next` follows.
Bytes extension(uint8_t kind, uint8_t next, size_t bytes) {
  if (kind == 44) return Bytes{next, 0, 0, 1} + zeros(4);
  const size_t length = kind == 51 ? bytes / 4 - 2 : bytes / 8 - 1;
  return Bytes{next, static_cast<uint8_t>(length)} + zeros(bytes - 2);
}

TEST(FlowsParse, ipv6_extension_headers_are_walked_and_cut_ones_malformed) {
  for (const uint8_t kind : {0, 43, 44, 51, 60}) {
    for (const size_t bytes : {8, 12, 16, 24, 2048, 1024}) {
      if (kind == 44 && bytes != 8) continue;
      if (kind == 51 ? bytes > 1028 : bytes % 8 != 0) continue;
      const Bytes header = extension(kind, 17, bytes);
      SCOPED_TRACE("header " + std::to_string(kind) + " of " + std::to_string(bytes));
      expect_flow(kIpv6Ethernet + ipv6(kind, static_cast<unsigned>(bytes) + 8) + header + ports(8),
                  6, 17, 1234, 53);
      for (size_t left = 0; left < bytes; ++left) {
        Bytes cut = header;
        cut.resize(left);
        expect_malformed(kIpv6Ethernet + ipv6(kind, static_cast<unsigned>(bytes) + 8) + cut);
        if (left != 0) {  // the IP header says that the packet ends within the extension header
          expect_malformed(kIpv6Ethernet + ipv6(kind, static_cast<unsigned>(left)) + header);
        }
      }
    }
  }
}

TEST(FlowsParse, ipv6_extension_headers_may_follow_each_other) {
  const Bytes chain = extension(0, 60, 8) + extension(60, 43, 16) + extension(43, 44, 24) +
                      extension(44, 51, 8) + extension(51, 60, 12) + extension(60, 6, 8);
  expect_flow(kIpv6Ethernet + ipv6(0, static_cast<unsigned>(chain.size()) + 20) + chain + ports(20),
              6, 6, 1234, 53);
  Bytes many;
  for (int i = 0; i < 180; ++i) many = many + extension(60, 60, 8);
  many = many + extension(60, 17, 8);
  expect_flow(kIpv6Ethernet + ipv6(60, static_cast<unsigned>(many.size()) + 8) + many + ports(8), 6,
              17, 1234, 53);
}

TEST(FlowsParse, ipv6_headers_that_hide_what_follows_end_the_walk) {
  expect_flow(kIpv6Ethernet + ipv6(50, 40) + ports(40), 6, 50, 0, 0);  // ESP: encrypted
  expect_flow(kIpv6Ethernet + ipv6(59, 0), 6, 59, 0, 0);               // no next header
  expect_flow(kIpv6Ethernet + ipv6(60, 8) + extension(60, 59, 8), 6, 59, 0, 0);
}

TEST(FlowsParse, only_the_first_ipv6_fragment_has_ports) {
  const auto fragment = [](unsigned offset, uint8_t next) {
    return kIpv6Ethernet + ipv6(44, 16) + Bytes{next, 0} + big16(offset) + zeros(4);
  };
  expect_flow(fragment(0x0001, 17) + ports(8), 6, 17, 1234, 53);
  expect_flow(fragment(0x0000, 17) + ports(8), 6, 17, 1234, 53);
  expect_flow(fragment(0x0007, 17) + ports(8), 6, 17, 1234, 53);  // reserved bits are no offset
  expect_flow(fragment(0x0008, 17) + ports(8), 6, 17, 0, 0);
  expect_flow(fragment(0xfff9, 17) + ports(8), 6, 17, 0, 0);
  // What lies in a later fragment is no header, whatever the type says.
  expect_flow(fragment(0x0008, 60) + Bytes(8, 0xff), 6, 60, 0, 0);
}

TEST(FlowsParse, ipv6_payload_length_0_reaches_to_the_end_of_the_frame) {
  expect_flow(kIpv6Ethernet + ipv6(6, 0) + ports(20), 6, 6, 1234, 53);
}

TEST(FlowsParse, an_ip_packet_within_ip_is_not_looked_at) {
  expect_flow(kIpv4Ethernet + ipv4({4, 48}) + ipv4({17, 28}) + ports(8), 4, 4, 0, 0);
  expect_flow(kIpv6Ethernet + ipv6(41, 48) + ipv6(17, 8) + ports(8), 6, 41, 0, 0);
}

TEST(FlowsParse, a_flow_has_a_direction) {
  const Parsed there = look(kIpv4Ethernet + ipv4({17, 28}) + ports(8));
  Bytes back = kIpv4Ethernet + ipv4({17, 28}) + ports(8);
  std::swap_ranges(back.begin() + 26, back.begin() + 30, back.begin() + 30);
  std::swap_ranges(back.begin() + 34, back.begin() + 36, back.begin() + 36);
  const Parsed other = look(back);
  EXPECT_EQ(there.key.address[0], other.key.address[2]);
  EXPECT_EQ(there.key.source_port(), other.key.destination_port());
  EXPECT_NE(there.key.last, other.key.last);
}

TEST(FlowsParse, reads_nothing_behind_the_end_of_any_frame) {
  // Frames that lead far, cut everywhere, with bytes changed at random; a guard page follows.
  const std::vector<Bytes> seeds = {
      ethernet({0x0800}) + ipv4({6, 60, 10}) + Bytes(20, 1) + ports(20),
      ethernet({0x88a8, 0x8100, 0x0800}) + ipv4({17, 28}) + ports(8),
      ethernet({0x86dd}) + ipv6(0, 68) + extension(0, 60, 8) + extension(60, 43, 16) +
          extension(43, 44, 8) + extension(44, 51, 8) + extension(51, 6, 12) + ports(20),
      ethernet({0x9100, 0x86dd}) + ipv6(132, 12) + ports(12),
  };
  std::mt19937 random(1);
  Guarded memory(4096);
  size_t kinds[3] = {};
  for (int round = 0; round < 20000; ++round) {
    Bytes frame = seeds[random() % seeds.size()];
    for (unsigned changes = random() % 4; changes > 0; --changes) {
      frame[12 + random() % (frame.size() - 12)] = static_cast<uint8_t>(random());
    }
    const auto bytes = static_cast<uint32_t>(random() % (frame.size() + 1));
    const Parsed parsed = parse(memory.put(frame.data(), bytes), bytes);
    ++kinds[static_cast<int>(parsed.kind)];
  }
  for (const size_t count : kinds) EXPECT_GT(count, 100u);  // the search reached all answers
}

}  // namespace
}  // namespace flows
