// SPDX-License-Identifier: Apache-2.0
// The doorbell record of a work queue: two counters in memory that a ConnectX reads to learn how
// many descriptors were posted. mlx5dv.h: MLX5_RCV_DBR, MLX5_SND_DBR.
#pragma once

#include <stddef.h>

#include "bits.h"

namespace warpnic {

/// Low 16 bits count descriptors, the rest is zero. For receive: the index up to which (exclusive)
/// the card may write slots, modulo 65536.
struct alignas(8) DoorbellRecord {
  Big<uint32_t> receive;  // 0  MLX5_RCV_DBR
  Big<uint32_t> send;     // 4  MLX5_SND_DBR
};
static_assert(sizeof(DoorbellRecord) == 8, "two 32-bit counters");
static_assert(offsetof(DoorbellRecord, receive) == 0, "MLX5_RCV_DBR is 0");
static_assert(offsetof(DoorbellRecord, send) == 4, "MLX5_SND_DBR is 1");

/// The counter's value for a limit given as a 64-bit index.
WARPNIC_DEVICE constexpr uint32_t doorbell_count(uint64_t index) {
  return static_cast<uint32_t>(index & 0xffff);
}

/// The 64-bit index that a 16-bit counter stands for, given the last one known, `last`. Right as
/// long as the counter moved on by less than 65536 since: rings have at most 65536 slots, and a
/// limit never moves by more than a ring minus the hold-back, which is at least one.
WARPNIC_DEVICE constexpr uint64_t doorbell_index(uint64_t last, uint32_t count) {
  return last + static_cast<uint16_t>(count - last);
}

}  // namespace warpnic
