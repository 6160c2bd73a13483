// SPDX-License-Identifier: Apache-2.0
// What the engine needs to know of a frame: where its outermost addresses and ports lie behind up
// to two VLAN tags, and what a completion says about its headers. Reads no byte at or past `length`.
//
// The bytes may lie where another process can change them meanwhile. So every byte that decides
// where to read next is read once, and what was read is what is checked.
// Next: toeplitz.h hashes what is found here.
#pragma once

#include <stdint.h>

#include "toeplitz.h"
#include "warpnic/format/bits.h"
#include "warpnic/format/mlx5_cqe.h"

namespace warpnic::engine {

/// Offsets count from the frame's first byte.
struct FrameHeaders {
  CqeNetwork network = kCqeNetworkNone;
  CqeTransport transport = kCqeTransportNone;
  bool checksum_ok = false;     ///< an IPv4 header whose checksum is right
  uint8_t hash_type = 0;        ///< CqeHashType bits of what is below
  uint8_t address_bytes = 0;    ///< source and destination together: 0, 8 or 32
  uint32_t addresses = 0;       ///< offset, if address_bytes != 0
  uint32_t ports = 0;           ///< offset of both ports, or 0: not TCP or UDP, a fragment, or cut
};

/// The part of a frame that is there, and reads of it that happen once.
struct FrameView {
  const uint8_t* bytes;
  uint32_t length;

  WARPNIC_DEVICE_MEMBER bool has(uint32_t offset, uint32_t count) const {
    return offset <= length && count <= length - offset;
  }
  WARPNIC_DEVICE_MEMBER uint8_t byte(uint32_t offset) const {
    return *const_cast<const volatile uint8_t*>(bytes + offset);
  }
  WARPNIC_DEVICE_MEMBER uint16_t big16(uint32_t offset) const {
    return static_cast<uint16_t>(byte(offset) << 8 | byte(offset + 1));
  }
};

constexpr uint8_t kProtocolTcp = 6;
constexpr uint8_t kProtocolUdp = 17;

/// The one's complement sum over an IPv4 header is all ones if its checksum is right (RFC 791,
/// 3.1). words: 32-bit words in the header.
WARPNIC_DEVICE bool ipv4_checksum_ok(const uint8_t* header, uint32_t words) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < words; ++i) {
    uint32_t word;
    __builtin_memcpy(&word, header + 4 * i, sizeof(word));
    sum += word;
  }
  sum = (sum & 0xffffffffu) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

/// The transport header at `offset`. `end`: where the IP packet ends, at most the frame's length.
WARPNIC_DEVICE void parse_transport(FrameView frame, uint8_t protocol, uint32_t offset,
                                    uint32_t end, FrameHeaders* headers) {
  if (protocol != kProtocolTcp && protocol != kProtocolUdp) return;
  if (end < offset || end - offset < 4) return;
  headers->ports = offset;
  if (protocol == kProtocolUdp) {
    headers->transport = kCqeTransportUdp;
    headers->hash_type |= kHashedPortsUdp;
    return;
  }
  headers->transport = kCqeTransportTcp;
  headers->hash_type |= kHashedPortsTcp;
  if (end - offset < 20 || (frame.byte(offset + 13) & 0x10) == 0) return;
  const uint32_t header_bytes = (frame.byte(offset + 12) >> 4) * 4u;
  headers->transport = end - offset > header_bytes ? kCqeTransportTcpAck
                                                   : kCqeTransportTcpAckOnly;
}

WARPNIC_DEVICE void parse_ipv4(FrameView frame, uint32_t offset, FrameHeaders* headers) {
  if (!frame.has(offset, 20)) return;
  const uint8_t first = frame.byte(offset);
  const uint32_t words = first & 0x0f;
  if (first >> 4 != 4 || words < 5 || !frame.has(offset, words * 4)) return;
  const uint32_t total = frame.big16(offset + 2);
  if (total != 0 && total < words * 4) return;
  headers->network = kCqeNetworkIpv4;
  headers->checksum_ok = ipv4_checksum_ok(frame.bytes + offset, words);
  headers->address_bytes = 8;
  headers->addresses = offset + 12;
  headers->hash_type = kHashedAddressesIpv4;
  // All fragments of a packet go by addresses alone, so that they stay together.
  const uint16_t fragment = frame.big16(offset + 6);
  if ((fragment & 0x3fff) != 0) return;
  // A total length of 0 means "to the end of the frame" (segmentation offload).
  const uint32_t end =
      total == 0 || total > frame.length - offset ? frame.length : offset + total;
  parse_transport(frame, frame.byte(offset + 9), offset + words * 4, end, headers);
}

WARPNIC_DEVICE void parse_ipv6(FrameView frame, uint32_t offset, FrameHeaders* headers) {
  if (!frame.has(offset, 40) || frame.byte(offset) >> 4 != 6) return;
  headers->network = kCqeNetworkIpv6;
  headers->address_bytes = 32;
  headers->addresses = offset + 8;
  headers->hash_type = kHashedAddressesIpv6;
  const uint32_t payload = frame.big16(offset + 4);
  uint8_t next = frame.byte(offset + 6);
  const uint32_t start = offset + 40;
  // A payload length of 0 belongs to a jumbogram (RFC 2675): to the end of the frame.
  const uint32_t end =
      payload == 0 || payload > frame.length - start ? frame.length : start + payload;
  uint32_t at = start;
  constexpr unsigned kMaxExtensions = 8;  // longer chains go by addresses alone
  for (unsigned i = 0; i < kMaxExtensions; ++i) {
    uint32_t bytes;
    switch (next) {
      case 0:   // hop-by-hop options
      case 43:  // routing
      case 60:  // destination options
        if (end < at || end - at < 8) return;
        bytes = 8 + 8u * frame.byte(at + 1);
        break;
      case 51:  // authentication header
        if (end < at || end - at < 8) return;
        bytes = 8 + 4u * frame.byte(at + 1);
        break;
      case 44:  // fragment
        return;
      default:
        parse_transport(frame, next, at, end, headers);
        return;
    }
    next = frame.byte(at);
    at += bytes;
  }
}

WARPNIC_DEVICE FrameHeaders parse_frame(const uint8_t* bytes, uint32_t length) {
  const FrameView frame{bytes, length};
  FrameHeaders headers;
  if (length < 14) return headers;
  uint32_t offset = 14;
  uint16_t type = frame.big16(12);
  for (unsigned tag = 0; tag < 2; ++tag) {
    if (type != 0x8100 && type != 0x88a8 && type != 0x9100) break;
    if (!frame.has(offset, 4)) return headers;
    type = frame.big16(offset + 2);
    offset += 4;
  }
  if (type == 0x0800) {
    parse_ipv4(frame, offset, &headers);
  } else if (type == 0x86dd) {
    parse_ipv6(frame, offset, &headers);
  }
  return headers;
}

/// What a completion says of a frame's headers.
struct Headers {
  uint32_t hash;      ///< Toeplitz over what hash_type names; 0 if that is nothing
  uint8_t hash_type;  ///< CqeHashType
  uint8_t checks;     ///< CqeChecks
  uint8_t kinds;      ///< CqeHeaders
};

WARPNIC_DEVICE Headers parse_headers(const Toeplitz& rss, const uint8_t* bytes, uint32_t length) {
  const FrameHeaders found = parse_frame(bytes, length);
  Headers headers{0, found.hash_type, 0, 0};
  if (found.address_bytes != 0) {
    headers.hash = toeplitz_share(rss, bytes + found.addresses, found.address_bytes, 0);
    if (found.ports != 0) {
      headers.hash ^= toeplitz_share(rss, bytes + found.ports, 4, found.address_bytes);
    }
  }
  if (found.checksum_ok) headers.checks = kCqeL3Ok;
  headers.kinds = static_cast<uint8_t>(CqeHeaders::Transport::of(found.transport) |
                                       CqeHeaders::Network::of(found.network));
  return headers;
}

}  // namespace warpnic::engine
