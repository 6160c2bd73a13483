// SPDX-License-Identifier: Apache-2.0
// Byte order as a type: Big<T> is a number that lies in memory most significant byte first, as
// everything does that a ConnectX reads or writes. Next: mlx5_wqe.h, mlx5_cqe.h.
#pragma once

#include <stdint.h>

#include "../port/target.h"

namespace warpnic {

/// The bytes of `value` in opposite order. T: uint16_t, uint32_t or uint64_t.
WARPNIC_DEVICE constexpr uint16_t swap_bytes(uint16_t v) {
  return static_cast<uint16_t>((v << 8) | (v >> 8));
}
WARPNIC_DEVICE constexpr uint32_t swap_bytes(uint32_t v) {
  return (v << 24) | ((v & 0xff00u) << 8) | ((v >> 8) & 0xff00u) | (v >> 24);
}
WARPNIC_DEVICE constexpr uint64_t swap_bytes(uint64_t v) {
  return (static_cast<uint64_t>(swap_bytes(static_cast<uint32_t>(v))) << 32) |
         swap_bytes(static_cast<uint32_t>(v >> 32));
}

/// Both kinds of processor this project runs on are little-endian.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a little-endian processor is assumed");

/// A big-endian number in memory. Same size and alignment as T; `raw` is what lies there.
template <class T>
struct Big {
  T raw;

  WARPNIC_DEVICE_MEMBER constexpr T get() const { return swap_bytes(raw); }
  WARPNIC_DEVICE_MEMBER static constexpr Big of(T value) { return Big{swap_bytes(value)}; }
};

/// Bits kHigh..kLow of a word in native order, numbered from the least significant bit.
template <unsigned kHigh, unsigned kLow>
struct Bits {
  static_assert(kHigh >= kLow && kHigh < 64, "bits are given as <high, low>");
  static constexpr uint64_t kMask =
      (kHigh - kLow == 63) ? ~uint64_t{0} : ((uint64_t{1} << (kHigh - kLow + 1)) - 1);

  WARPNIC_DEVICE_MEMBER static constexpr uint64_t get(uint64_t word) {
    return (word >> kLow) & kMask;
  }
  /// `value` at this place, all other bits zero. A value that does not fit is cut.
  WARPNIC_DEVICE_MEMBER static constexpr uint64_t of(uint64_t value) {
    return (value & kMask) << kLow;
  }
};

}  // namespace warpnic
