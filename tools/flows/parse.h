// SPDX-License-Identifier: Apache-2.0
// From a frame to its flow: Ethernet, up to two VLAN tags, IPv4 or IPv6, ports. Runs in kernels and
// on the host. Never reads a byte behind the frame's end.
//
// Malformed is a frame whose Ethernet, VLAN or IP header is cut or contradicts itself. Ports are
// zero for protocols without ports, for fragments after the first, and where the transport header
// is cut.
#pragma once

#include <stdint.h>

#include "warpnic/port/target.h"

namespace flows {

/// One direction of a connection. Addresses as they lie in the frame; IPv4 in the first four bytes
/// with zeros behind. `last` holds ports, protocol and IP version, and is never 0.
struct Key {
  uint64_t address[4];  ///< source, source, destination, destination
  uint64_t last;

  WARPNIC_DEVICE_MEMBER static constexpr uint64_t make_last(uint16_t source_port,
                                                            uint16_t destination_port,
                                                            uint8_t protocol, uint8_t version) {
    return static_cast<uint64_t>(source_port) | static_cast<uint64_t>(destination_port) << 16 |
           static_cast<uint64_t>(protocol) << 32 | static_cast<uint64_t>(version) << 40;
  }
  WARPNIC_DEVICE_MEMBER uint16_t source_port() const { return static_cast<uint16_t>(last); }
  WARPNIC_DEVICE_MEMBER uint16_t destination_port() const {
    return static_cast<uint16_t>(last >> 16);
  }
  WARPNIC_DEVICE_MEMBER uint8_t protocol() const { return static_cast<uint8_t>(last >> 32); }
  WARPNIC_DEVICE_MEMBER uint8_t version() const { return static_cast<uint8_t>(last >> 40); }
};

enum class Kind : uint8_t {
  kFlow,       ///< key is set
  kNonIp,      ///< ether_type is set
  kMalformed,
};

struct Parsed {
  Kind kind = Kind::kMalformed;
  uint16_t ether_type = 0;
  Key key = {};
};

WARPNIC_DEVICE uint16_t read16(const uint8_t* p) {
  return static_cast<uint16_t>(p[0] << 8 | p[1]);
}
/// Bytes as they lie in memory, at any address.
WARPNIC_DEVICE uint32_t read32_raw(const uint8_t* p) {
#if WARPNIC_ON_CUDA
  return static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8 |
         static_cast<uint32_t>(p[2]) << 16 | static_cast<uint32_t>(p[3]) << 24;
#else
  uint32_t value;
  __builtin_memcpy(&value, p, sizeof value);
  return value;
#endif
}
WARPNIC_DEVICE uint64_t read64_raw(const uint8_t* p) {
  return static_cast<uint64_t>(read32_raw(p)) | static_cast<uint64_t>(read32_raw(p + 4)) << 32;
}

/// Length of the fixed transport header that holds the ports; 0: the protocol has none.
WARPNIC_DEVICE uint32_t header_bytes_with_ports(uint8_t protocol) {
  switch (protocol) {
    case 6: return 20;    // TCP
    case 17: return 8;    // UDP
    case 132: return 12;  // SCTP
    case 136: return 8;   // UDP-Lite
    default: return 0;
  }
}

/// The last word of the key; `transport` may be cut at `bytes`.
WARPNIC_DEVICE uint64_t key_last(const uint8_t* transport, uint32_t bytes, uint8_t protocol,
                                 uint8_t version, bool first_fragment) {
  const uint32_t needed = header_bytes_with_ports(protocol);
  if (needed == 0 || !first_fragment || bytes < needed) {
    return Key::make_last(0, 0, protocol, version);
  }
  return Key::make_last(read16(transport), read16(transport + 2), protocol, version);
}

WARPNIC_DEVICE Kind parse_ipv4(const uint8_t* ip, uint32_t bytes, Key& key) {
  if (bytes < 20 || ip[0] >> 4 != 4) return Kind::kMalformed;
  const uint32_t header = (ip[0] & 0xfu) * 4;
  const uint32_t total = read16(ip + 2);  // 0: to the end of the frame
  if (header < 20 || header > bytes || (total != 0 && total < header)) return Kind::kMalformed;
  const uint32_t end = total != 0 && total < bytes ? total : bytes;
  const bool first_fragment = (read16(ip + 6) & 0x1fff) == 0;
  key.address[0] = read32_raw(ip + 12);
  key.address[1] = 0;
  key.address[2] = read32_raw(ip + 16);
  key.address[3] = 0;
  key.last = key_last(ip + header, end - header, ip[9], 4, first_fragment);
  return Kind::kFlow;
}

WARPNIC_DEVICE Kind parse_ipv6(const uint8_t* ip, uint32_t bytes, Key& key) {
  if (bytes < 40 || ip[0] >> 4 != 6) return Kind::kMalformed;
  const uint32_t payload = read16(ip + 4);  // 0 (jumbo payload): to the end of the frame
  const uint32_t end = payload != 0 && payload + 40 < bytes ? payload + 40 : bytes;
  uint8_t protocol = ip[6];
  uint32_t at = 40;
  bool first_fragment = true;
  // Hop-by-hop, routing, fragment, authentication and destination options headers.
  while (first_fragment && (protocol == 0 || protocol == 43 || protocol == 44 || protocol == 51 ||
                            protocol == 60)) {
    if (end - at < 8) return Kind::kMalformed;
    const uint8_t* header = ip + at;
    const uint32_t header_bytes = protocol == 44   ? 8u
                                  : protocol == 51 ? (header[1] + 2u) * 4
                                                   : (header[1] + 1u) * 8;
    if (end - at < header_bytes) return Kind::kMalformed;
    if (protocol == 44) first_fragment = (read16(header + 2) & 0xfff8) == 0;
    protocol = header[0];
    at += header_bytes;
  }
  for (int i = 0; i < 4; ++i) key.address[i] = read64_raw(ip + 8 + 8 * i);
  key.last = key_last(ip + at, end - at, protocol, 6, first_fragment);
  return Kind::kFlow;
}

/// Looks at a frame of `bytes` bytes.
WARPNIC_DEVICE Parsed parse(const uint8_t* frame, uint32_t bytes) {
  Parsed out;
  if (bytes < 14) return out;
  uint32_t at = 14;
  uint16_t type = read16(frame + 12);
  for (int tags = 0; tags < 2 && (type == 0x8100 || type == 0x88a8 || type == 0x9100); ++tags) {
    if (bytes - at < 4) return out;
    type = read16(frame + at + 2);
    at += 4;
  }
  out.ether_type = type;
  if (type == 0x0800) {
    out.kind = parse_ipv4(frame + at, bytes - at, out.key);
  } else if (type == 0x86dd) {
    out.kind = parse_ipv6(frame + at, bytes - at, out.key);
  } else {
    out.kind = Kind::kNonIp;
  }
  return out;
}

}  // namespace flows
