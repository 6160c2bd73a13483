// SPDX-License-Identifier: Apache-2.0
// What the engine finds in frames: tags, options, extension headers, fragments, and frames that are
// cut or contradict themselves.
#include "nic/virtual/engine/parse.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <memory>
#include <vector>

namespace warpnic::engine {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes ethernet(std::initializer_list<uint16_t> types) {
  Bytes frame = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
  bool first = true;
  for (const uint16_t type : types) {
    if (!first) frame = frame + Bytes{0, 5};  // a tag's control information
    first = false;
    frame = frame + Bytes{static_cast<uint8_t>(type >> 8), static_cast<uint8_t>(type)};
  }
  return frame;
}

Bytes ipv4(uint8_t protocol, uint16_t total, uint16_t fragment = 0, uint32_t words = 5) {
  Bytes header(words * 4, 0);
  header[0] = static_cast<uint8_t>(0x40 | words);
  header[2] = static_cast<uint8_t>(total >> 8);
  header[3] = static_cast<uint8_t>(total);
  header[6] = static_cast<uint8_t>(fragment >> 8);
  header[7] = static_cast<uint8_t>(fragment);
  header[8] = 64;
  header[9] = protocol;
  const uint8_t addresses[8] = {10, 0, 0, 1, 10, 0, 0, 2};
  std::memcpy(&header[12], addresses, 8);
  uint32_t sum = 0;
  for (size_t i = 0; i < header.size(); i += 2) sum += header[i] << 8 | header[i + 1];
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  header[10] = static_cast<uint8_t>(~sum >> 8);
  header[11] = static_cast<uint8_t>(~sum);
  return header;
}

Bytes ipv6(uint8_t next, uint16_t payload) {
  Bytes header(40, 1);
  header[0] = 0x60;
  header[4] = static_cast<uint8_t>(payload >> 8);
  header[5] = static_cast<uint8_t>(payload);
  header[6] = next;
  return header;
}

Bytes udp() { return {0x12, 0x34, 0, 53, 0, 8, 0, 0}; }
Bytes tcp(uint8_t flags) {
  Bytes header(20, 0);
  header[1] = 80;
  header[12] = 0x50;
  header[13] = flags;
  return header;
}

/// Parses a copy of exactly the frame's length, so that AddressSanitizer sees reads beyond it.
FrameHeaders parse(const Bytes& frame) {
  const auto exact = std::make_unique<uint8_t[]>(frame.size());
  if (!frame.empty()) std::memcpy(exact.get(), frame.data(), frame.size());
  return parse_frame(exact.get(), static_cast<uint32_t>(frame.size()));
}

TEST(Parse, udp_over_ipv4) {
  const FrameHeaders headers = parse(ethernet({0x0800}) + ipv4(17, 28) + udp());
  EXPECT_EQ(headers.network, kCqeNetworkIpv4);
  EXPECT_EQ(headers.transport, kCqeTransportUdp);
  EXPECT_TRUE(headers.checksum_ok);
  EXPECT_EQ(headers.addresses, 26u);
  EXPECT_EQ(headers.address_bytes, 8u);
  EXPECT_EQ(headers.ports, 34u);
  EXPECT_EQ(headers.hash_type, kHashedAddressesIpv4 | kHashedPortsUdp);
}

TEST(Parse, wrong_header_checksum_is_not_called_right) {
  for (unsigned bit = 0; bit < 160; ++bit) {
    Bytes header = ipv4(17, 28);
    header[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_FALSE(parse(ethernet({0x0800}) + header + udp()).checksum_ok) << "bit " << bit;
  }
}

TEST(Parse, one_and_two_vlan_tags_are_passed_and_three_are_not) {
  for (const uint16_t tag : {0x8100, 0x88a8, 0x9100}) {
    EXPECT_EQ(parse(ethernet({tag, 0x0800}) + ipv4(17, 28) + udp()).ports, 38u);
    EXPECT_EQ(parse(ethernet({tag, 0x8100, 0x0800}) + ipv4(17, 28) + udp()).ports, 42u);
    EXPECT_EQ(parse(ethernet({tag, 0x8100, 0x8100, 0x0800}) + ipv4(17, 28) + udp()).network,
              kCqeNetworkNone);
  }
  EXPECT_EQ(parse(ethernet({0x8847, 0x0800}) + ipv4(17, 28) + udp()).network, kCqeNetworkNone);
}

TEST(Parse, ipv4_options_move_the_ports) {
  for (uint32_t words = 5; words <= 15; ++words) {
    const auto total = static_cast<uint16_t>(words * 4 + 8);
    const FrameHeaders headers = parse(ethernet({0x0800}) + ipv4(17, total, 0, words) + udp());
    EXPECT_EQ(headers.ports, 14 + words * 4) << words;
    EXPECT_TRUE(headers.checksum_ok) << words;
  }
}

TEST(Parse, fragments_are_hashed_by_addresses_alone) {
  for (const uint16_t fragment : {0x2000, 0x0001, 0x2001, 0x1fff}) {
    const FrameHeaders headers = parse(ethernet({0x0800}) + ipv4(17, 28, fragment) + udp());
    EXPECT_EQ(headers.network, kCqeNetworkIpv4);
    EXPECT_EQ(headers.ports, 0u) << fragment;
    EXPECT_EQ(headers.hash_type, kHashedAddressesIpv4);
  }
  EXPECT_NE(parse(ethernet({0x0800}) + ipv4(17, 28, 0x4000) + udp()).ports, 0u);  // do not fragment
  const Bytes fragment_header = {17, 0, 0, 1, 0, 0, 0, 9};
  const FrameHeaders headers =
      parse(ethernet({0x86dd}) + ipv6(44, 16) + fragment_header + udp());
  EXPECT_EQ(headers.network, kCqeNetworkIpv6);
  EXPECT_EQ(headers.ports, 0u);
}

TEST(Parse, ipv4_headers_that_contradict_themselves_are_no_ip) {
  Bytes version = ipv4(17, 28);
  version[0] = 0x65;
  EXPECT_EQ(parse(ethernet({0x0800}) + version + udp()).network, kCqeNetworkNone);
  Bytes short_header = ipv4(17, 28);
  short_header[0] = 0x44;
  EXPECT_EQ(parse(ethernet({0x0800}) + short_header + udp()).network, kCqeNetworkNone);
  EXPECT_EQ(parse(ethernet({0x0800}) + ipv4(17, 19) + udp()).network, kCqeNetworkNone);
  Bytes long_header = ipv4(17, 28);
  long_header[0] = 0x4f;  // 60 bytes, of which 28 are there
  EXPECT_EQ(parse(ethernet({0x0800}) + long_header + udp()).network, kCqeNetworkNone);
}

TEST(Parse, ports_lie_inside_the_ip_packet_not_in_its_padding) {
  EXPECT_EQ(parse(ethernet({0x0800}) + ipv4(17, 23) + udp()).ports, 0u);
  EXPECT_EQ(parse(ethernet({0x0800}) + ipv4(17, 24) + udp()).ports, 34u);
  EXPECT_EQ(parse(ethernet({0x0800}) + ipv4(17, 0) + udp()).ports, 34u);       // to the end
  EXPECT_EQ(parse(ethernet({0x0800}) + ipv4(17, 60000) + udp()).ports, 34u);  // cut capture
  EXPECT_EQ(parse(ethernet({0x86dd}) + ipv6(17, 3) + udp()).ports, 0u);
  EXPECT_EQ(parse(ethernet({0x86dd}) + ipv6(17, 4) + udp()).ports, 54u);
}

TEST(Parse, tcp_is_told_by_ack_and_data) {
  const auto kind = [](uint8_t flags, uint16_t total, const Bytes& data) {
    return parse(ethernet({0x0800}) + ipv4(6, total) + tcp(flags) + data).transport;
  };
  EXPECT_EQ(kind(0x02, 40, {}), kCqeTransportTcp);
  EXPECT_EQ(kind(0x10, 40, {}), kCqeTransportTcpAckOnly);
  EXPECT_EQ(kind(0x10, 41, {1}), kCqeTransportTcpAck);
  EXPECT_EQ(kind(0x10, 40, Bytes(6, 0)), kCqeTransportTcpAckOnly);  // padding is no data
  EXPECT_EQ(parse(ethernet({0x0800}) + ipv4(6, 30) + Bytes(10, 0xff)).transport, kCqeTransportTcp);
}

TEST(Parse, ipv6_extension_headers_are_walked) {
  const Bytes hop = {43, 0, 0, 0, 0, 0, 0, 0};
  const Bytes routing = {51, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Bytes authentication = {60, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Bytes options = {17, 0, 0, 0, 0, 0, 0, 0};
  const Bytes frame = ethernet({0x86dd}) + ipv6(0, 8 + 16 + 16 + 8 + 8) + hop + routing +
                      authentication + options + udp();
  const FrameHeaders headers = parse(frame);
  EXPECT_EQ(headers.ports, 14u + 40 + 8 + 16 + 16 + 8);
  EXPECT_EQ(headers.address_bytes, 32u);
  EXPECT_EQ(headers.addresses, 22u);
  EXPECT_EQ(headers.hash_type, kHashedAddressesIpv6 | kHashedPortsUdp);
  EXPECT_FALSE(headers.checksum_ok);
}

TEST(Parse, an_endless_chain_of_extension_headers_ends) {
  Bytes chain;
  for (int i = 0; i < 100; ++i) chain = chain + Bytes{0, 0, 0, 0, 0, 0, 0, 0};
  const FrameHeaders headers = parse(ethernet({0x86dd}) + ipv6(0, 800) + chain);
  EXPECT_EQ(headers.network, kCqeNetworkIpv6);
  EXPECT_EQ(headers.ports, 0u);
}

TEST(Parse, every_cut_of_a_frame_is_safe_and_finds_no_more_than_the_whole) {
  const Bytes options = {6, 0, 0, 0, 0, 0, 0, 0};
  const Bytes frames[] = {
      ethernet({0x88a8, 0x8100, 0x0800}) + ipv4(6, 64, 0, 6) + tcp(0x10) + Bytes(20, 7),
      ethernet({0x86dd}) + ipv6(60, 28) + options + tcp(0x10)};
  for (const Bytes& frame : frames) {
    const FrameHeaders whole = parse(frame);
    EXPECT_NE(whole.ports, 0u);
    for (size_t length = 0; length < frame.size(); ++length) {
      const FrameHeaders cut = parse(Bytes(frame.begin(), frame.begin() + length));
      if (cut.ports != 0) {
        EXPECT_EQ(cut.ports, whole.ports);
        EXPECT_LE(cut.ports + 4, length);
      }
      if (cut.address_bytes != 0) {
        EXPECT_LE(cut.addresses + cut.address_bytes, length);
      }
    }
  }
}

TEST(Parse, hash_covers_what_its_type_says) {
  auto tables = std::make_unique<Toeplitz>();
  toeplitz_init_symmetric(*tables);
  const auto headers_of = [&](const Bytes& frame) {
    return parse_headers(*tables, frame.data(), static_cast<uint32_t>(frame.size()));
  };
  const Bytes with_ports = ethernet({0x0800}) + ipv4(17, 28) + udp();
  const Bytes fragment = ethernet({0x0800}) + ipv4(17, 28, 0x2000) + udp();
  const uint32_t addresses = toeplitz_share(*tables, with_ports.data() + 26, 8, 0);
  const uint32_t ports = toeplitz_share(*tables, with_ports.data() + 34, 4, 8);
  EXPECT_EQ(headers_of(with_ports).hash, addresses ^ ports);
  EXPECT_EQ(headers_of(fragment).hash, addresses);
  EXPECT_EQ(headers_of(with_ports).checks, kCqeL3Ok);
  EXPECT_EQ(headers_of(ethernet({0x0806}) + Bytes(46, 1)).hash, 0u);
}

}  // namespace
}  // namespace warpnic::engine
