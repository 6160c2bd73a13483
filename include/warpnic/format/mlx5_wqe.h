// SPDX-License-Identifier: Apache-2.0
// What a ConnectX reads: the descriptor of a cyclic receive queue, one data segment each.
// Names as in infiniband/mlx5dv.h of rdma-core (struct mlx5_wqe_data_seg); tests/format compares.
// Next: mlx5_cqe.h, what the card answers.
#pragma once

#include <stddef.h>

#include "bits.h"

namespace warpnic {

/// Where the frame of one receive slot goes. 16 bytes; the ring is an array of these.
struct ReceiveDescriptor {
  Big<uint32_t> byte_count;  // 0   room in bytes
  Big<uint32_t> lkey;        // 4   memory key of the address
  Big<uint64_t> addr;        // 8   first byte of the slot
};
static_assert(sizeof(ReceiveDescriptor) == 16, "mlx5_wqe_data_seg has 16 bytes");
static_assert(offsetof(ReceiveDescriptor, byte_count) == 0, "mlx5_wqe_data_seg");
static_assert(offsetof(ReceiveDescriptor, lkey) == 4, "mlx5_wqe_data_seg");
static_assert(offsetof(ReceiveDescriptor, addr) == 8, "mlx5_wqe_data_seg");

/// The descriptor of a slot of `bytes` at `address`, under memory key `key` (CPU byte order).
WARPNIC_DEVICE constexpr ReceiveDescriptor make_receive_descriptor(uint64_t address,
                                                                   uint32_t bytes, uint32_t key) {
  return ReceiveDescriptor{Big<uint32_t>::of(bytes), Big<uint32_t>::of(key),
                           Big<uint64_t>::of(address)};
}

}  // namespace warpnic
