// SPDX-License-Identifier: Apache-2.0
// Wire rings: where the virtual NIC's engine meets a link. Layout of the kernel's AF_XDP
// (linux/if_xdp.h: struct xdp_desc, FILL and COMPLETION rings of 64-bit addresses, producer and
// consumer words of 32 bits that wrap), so that AF_XDP's own rings can take their place.
//
//   RX    link -> engine   descriptors of frames that arrived
//   FILL  engine -> link   addresses of frames that the link may fill again
//
// A ring has 2^n entries; entry k is at k & (size - 1); producer - consumer (modulo 2^32) entries
// are filled. Each word has one writer. Whoever reads a descriptor that another process can write
// copies it once and checks the copy.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../port/target.h"

namespace warpnic {

/// xdp_desc: one frame in the area.
struct WireDescriptor {
  uint64_t addr;     // 0   offset of the frame's first byte in the area
  uint32_t len;      // 8   bytes present
  uint32_t options;  // 12  WireOptions; unknown bits are ignored
};
static_assert(sizeof(WireDescriptor) == 16, "xdp_desc has 16 bytes");
static_assert(alignof(WireDescriptor) == 8, "as xdp_desc");
static_assert(offsetof(WireDescriptor, addr) == 0, "xdp_desc");
static_assert(offsetof(WireDescriptor, len) == 8, "xdp_desc");
static_assert(offsetof(WireDescriptor, options) == 12, "xdp_desc");

/// Bits of WireDescriptor::options. The kernel uses bits 0 and 1; ours is the highest.
enum WireOptions : uint32_t {
  kWireHasNote = 1u << 31,  ///< a FrameNote lies right before the frame
};

/// What a link knows of a frame beside its bytes; lies at addr - sizeof(FrameNote).
struct FrameNote {
  uint64_t timestamp_ns;  // 0   arrival, nanoseconds since 1970
  uint32_t wire_len;      // 8   length on the wire, if the capture was cut; else len
  uint32_t reserved;      // 12  zero
};
static_assert(sizeof(FrameNote) == 16, "sixteen bytes before the frame");
static_assert(offsetof(FrameNote, timestamp_ns) == 0, "layout");
static_assert(offsetof(FrameNote, wire_len) == 8, "layout");
static_assert(offsetof(FrameNote, reserved) == 12, "layout");

/// One ring as its user sees it. T is WireDescriptor (RX) or uint64_t (FILL).
template <class T>
struct WireRing {
  uint32_t* producer;  ///< next entry to be filled
  uint32_t* consumer;  ///< next entry to be taken
  T* entries;
  uint32_t mask;  ///< number of entries - 1; entries is null and mask 0 where there is no ring
};

/// Frames in links of our own start at multiples of this and are readable to the next multiple.
constexpr uint32_t kWireFrameAlignment = 64;

/// What the engine is given of one port. All pointers stay valid while the port is attached.
struct WirePort {
  WireRing<WireDescriptor> rx;
  WireRing<uint64_t> fill;  ///< entries == nullptr: the link keeps its frames (pcap)
  uint8_t* area;            ///< base of the frames
  uint64_t area_bytes;
};

}  // namespace warpnic
