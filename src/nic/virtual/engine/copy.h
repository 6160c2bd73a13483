// SPDX-License-Identifier: Apache-2.0
// Copies frames into slots. The lanes of a group take 16-byte pieces in turn. Used by receive.h.
#pragma once

#include <stdint.h>

#include "warpnic/port/target.h"

namespace warpnic::engine {

constexpr uint32_t kPieceBytes = 16;

WARPNIC_DEVICE bool is_piece_aligned(const void* address) {
  return (reinterpret_cast<uintptr_t>(address) & (kPieceBytes - 1)) == 0;
}

/// `bytes` from `from` to `to`, which do not overlap. No byte outside is read or written.
template <class Lanes>
WARPNIC_DEVICE void copy_bytes(Lanes lanes, uint8_t* to, const uint8_t* from, uint32_t bytes) {
  constexpr uint32_t kStep = Lanes::kLanes * kPieceBytes;
  const uint32_t whole = bytes & ~(kPieceBytes - 1);
  // A GPU loads 16 bytes at once only where they are aligned. Frames of our own links and slots are.
  if (is_piece_aligned(to) && is_piece_aligned(from)) {
    for (uint32_t at = lanes.lane() * kPieceBytes; at < whole; at += kStep) {
      __builtin_memcpy(__builtin_assume_aligned(to + at, kPieceBytes),
                       __builtin_assume_aligned(from + at, kPieceBytes), kPieceBytes);
    }
  } else {
    for (uint32_t at = lanes.lane() * kPieceBytes; at < whole; at += kStep) {
      __builtin_memcpy(to + at, from + at, kPieceBytes);
    }
  }
  for (uint32_t at = whole + lanes.lane(); at < bytes; at += Lanes::kLanes) to[at] = from[at];
}

}  // namespace warpnic::engine
