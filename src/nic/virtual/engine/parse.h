// SPDX-License-Identifier: Apache-2.0
// What the engine needs to know of a frame: where its outermost addresses and ports lie behind up
// to two VLAN tags, and what a completion says about its headers. Reads no byte at or past `length`.
//
// The bytes may lie where another process can change them meanwhile. So every byte that decides
// where to read next is read once, and what was read is what is checked.
// Next: toeplitz.h hashes what is found here.
#pragma once

#include <stdint.h>

#include "warpnic/format/bits.h"
#include "warpnic/format/mlx5_cqe.h"

namespace warpnic {

/// Bits 3..2 of a completion's l4_hdr_type_etc. Linux, include/linux/mlx5/device.h:
/// CQE_L3_HDR_TYPE_*.
enum class NetworkHeader : uint8_t { kNone = 0, kIpv6 = 1, kIpv4 = 2 };

/// Bits 6..4 of a completion's l4_hdr_type_etc. Same file: CQE_L4_HDR_TYPE_*.
enum class TransportHeader : uint8_t {
  kNone = 0,
  kTcpNoAck = 1,
  kUdp = 2,
  kTcpAckNoData = 3,
  kTcpAckAndData = 4,
};

/// Two bits each in rx_hash_type: source address 1..0, destination address 3..2, source port 5..4,
/// destination port 7..6. Same file: CQE_RSS_HTYPE_IP, CQE_RSS_HTYPE_L4.
enum HashedHeader : uint8_t {
  kHashedIpv4 = 0x05,  ///< both addresses
  kHashedIpv6 = 0x0a,
  kHashedTcp = 0x50,  ///< both ports
  kHashedUdp = 0xa0,
};

/// Offsets count from the frame's first byte.
struct FrameHeaders {
  NetworkHeader network = NetworkHeader::kNone;
  TransportHeader transport = TransportHeader::kNone;
  bool checksum_ok = false;     ///< an IPv4 header whose checksum is right
  uint8_t hash_type = 0;        ///< HashedHeader bits of what is below
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
    headers->transport = TransportHeader::kUdp;
    headers->hash_type |= kHashedUdp;
    return;
  }
  headers->transport = TransportHeader::kTcpNoAck;
  headers->hash_type |= kHashedTcp;
  if (end - offset < 20 || (frame.byte(offset + 13) & 0x10) == 0) return;
  const uint32_t header_bytes = (frame.byte(offset + 12) >> 4) * 4u;
  headers->transport = end - offset > header_bytes ? TransportHeader::kTcpAckAndData
                                                   : TransportHeader::kTcpAckNoData;
}

WARPNIC_DEVICE void parse_ipv4(FrameView frame, uint32_t offset, FrameHeaders* headers) {
  if (!frame.has(offset, 20)) return;
  const uint8_t first = frame.byte(offset);
  const uint32_t words = first & 0x0f;
  if (first >> 4 != 4 || words < 5 || !frame.has(offset, words * 4)) return;
  const uint32_t total = frame.big16(offset + 2);
  if (total != 0 && total < words * 4) return;
  headers->network = NetworkHeader::kIpv4;
  headers->checksum_ok = ipv4_checksum_ok(frame.bytes + offset, words);
  headers->address_bytes = 8;
  headers->addresses = offset + 12;
  headers->hash_type = kHashedIpv4;
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
  headers->network = NetworkHeader::kIpv6;
  headers->address_bytes = 32;
  headers->addresses = offset + 8;
  headers->hash_type = kHashedIpv6;
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

/// Byte 29 of a completion.
WARPNIC_DEVICE uint8_t cqe_header_types(const FrameHeaders& headers) {
  return static_cast<uint8_t>(
      CqeHeaders::Transport::of(static_cast<uint64_t>(headers.transport)) |
      CqeHeaders::Network::of(static_cast<uint64_t>(headers.network)));
}

}  // namespace warpnic
