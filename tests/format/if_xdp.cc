// SPDX-License-Identifier: Apache-2.0
// The wire ring against the kernel's AF_XDP.
#include <gtest/gtest.h>
#include <linux/if_xdp.h>

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "warpnic/format/print.h"
#include "warpnic/format/wire_ring.h"

namespace warpnic {
namespace {

static_assert(sizeof(WireDescriptor) == sizeof(xdp_desc), "size");
static_assert(alignof(WireDescriptor) == alignof(xdp_desc), "alignment");
static_assert(offsetof(WireDescriptor, addr) == offsetof(xdp_desc, addr), "addr");
static_assert(offsetof(WireDescriptor, len) == offsetof(xdp_desc, len), "len");
static_assert(offsetof(WireDescriptor, options) == offsetof(xdp_desc, options), "options");
static_assert(sizeof(WireDescriptor::addr) == sizeof(xdp_desc::addr), "addr");
static_assert(sizeof(WireDescriptor::len) == sizeof(xdp_desc::len), "len");
static_assert(sizeof(WireDescriptor::options) == sizeof(xdp_desc::options), "options");

// "UMEM descriptor is __u64": what FILL holds. Producer and consumer are 32-bit words: the kernel's
// struct xdp_ring (net/xdp/xsk_queue.h), libxdp's struct xsk_ring_prod.
static_assert(std::is_same_v<decltype(WirePort::fill.entries), uint64_t*>, "addresses");
static_assert(sizeof(*WirePort::fill.producer) == 4 && sizeof(*WirePort::fill.consumer) == 4, "");

// Our own option stays clear of the bits that kernels use: XDP_PKT_CONTD (1 << 0), XDP_TX_METADATA
// (1 << 1). Headers of Linux 6.1 do not have their names yet.
static_assert((kWireHasNote & 0xffff) == 0, "the kernel's options");
#ifdef XDP_PKT_CONTD
static_assert((kWireHasNote & XDP_PKT_CONTD) == 0, "XDP_PKT_CONTD");
#endif
#ifdef XDP_TX_METADATA
static_assert((kWireHasNote & XDP_TX_METADATA) == 0, "XDP_TX_METADATA");
#endif

TEST(IfXdp, descriptors_have_the_bytes_of_the_kernels_struct) {
  const xdp_desc theirs = {0x0000000123456780, 1514, 0};
  const WireDescriptor ours = {0x0000000123456780, 1514, 0};
  EXPECT_EQ(std::memcmp(&ours, &theirs, sizeof theirs), 0) << to_text(ours);
}

TEST(IfXdp, a_note_before_the_first_frame_keeps_frames_aligned) {
  EXPECT_EQ(kWireFrameAlignment % alignof(FrameNote), 0u);
  EXPECT_LE(sizeof(FrameNote), kWireFrameAlignment);
}

}  // namespace
}  // namespace warpnic
