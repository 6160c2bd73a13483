// SPDX-License-Identifier: Apache-2.0
// What a kernel holds of a queue. Written by the host when the queue starts (src/eth), used by
// the device API (warpnic/device); a user only has its address, as struct doca_gpu_eth_rxq*.
// Each word's writer, readers and order: docs/ordering.md.
#pragma once

#include <stddef.h>

#include "mlx5_cqe.h"
#include "mlx5_doorbell.h"

namespace warpnic {

constexpr uint32_t kReceiveHandleVersion = 1;

/// A receive queue of N = 2^slots_log2 slots. Lies in GPU memory, 64-byte aligned, and stays
/// readable until doca_gpu_destroy, also after the queue is gone.
///
/// Slot life: recv moves `consumer` on to c; the NIC may then write slots below c + N - hold_back,
/// which is what the doorbell record says. A packet and its completion stay intact until
/// `hold_back` further packets have been returned by recv on this queue.
struct alignas(64) ReceiveHandle {
  // Constant while a kernel may use the handle.
  uint32_t size;                // 0   sizeof(ReceiveHandle)
  uint32_t version;             // 4   kReceiveHandleVersion
  uint64_t packets;             // 8   GPU address of slot 0
  const Completion* completions;  // 16  N completions, one a slot
  DoorbellRecord* doorbell;     // 24
  const uint64_t* heartbeat;    // 32  changes while the NIC is alive
  uint32_t stride_bytes;        // 40  from slot to slot, a multiple of 64
  uint32_t slots_log2;          // 44
  uint32_t hold_back;           // 48  H, 1 .. N-1
  uint32_t mkey_be;             // 52  key of the packet memory, big-endian
  uint64_t reserved;            // 56

  // Written by lanes that receive.
  uint64_t consumer;            // 64  next index that recv returns
  uint64_t released;            // 72  next index whose receiver may move the doorbell
  uint32_t inside;              // 80  callers inside recv
  uint32_t pad84[11];           // 84

  // Written by the host (closed) and by whoever finds a fault (fault); read by lanes.
  uint32_t closed;              // 128  1: the queue stops, recv returns DOCA_ERROR_BAD_STATE
  uint32_t fault;               // 132  0, or kFaultSet | vendor syndrome << 8 | syndrome
  uint32_t pad136[14];          // 136
};
static_assert(sizeof(ReceiveHandle) == 192, "three lines of 64 bytes");
static_assert(alignof(ReceiveHandle) == 64, "each part starts a line");
static_assert(offsetof(ReceiveHandle, size) == 0, "layout");
static_assert(offsetof(ReceiveHandle, version) == 4, "layout");
static_assert(offsetof(ReceiveHandle, packets) == 8, "layout");
static_assert(offsetof(ReceiveHandle, completions) == 16, "layout");
static_assert(offsetof(ReceiveHandle, doorbell) == 24, "layout");
static_assert(offsetof(ReceiveHandle, heartbeat) == 32, "layout");
static_assert(offsetof(ReceiveHandle, stride_bytes) == 40, "layout");
static_assert(offsetof(ReceiveHandle, slots_log2) == 44, "layout");
static_assert(offsetof(ReceiveHandle, hold_back) == 48, "layout");
static_assert(offsetof(ReceiveHandle, mkey_be) == 52, "layout");
static_assert(offsetof(ReceiveHandle, reserved) == 56, "layout");
static_assert(offsetof(ReceiveHandle, consumer) == 64, "layout");
static_assert(offsetof(ReceiveHandle, released) == 72, "layout");
static_assert(offsetof(ReceiveHandle, inside) == 80, "layout");
static_assert(offsetof(ReceiveHandle, pad84) == 84, "layout");
static_assert(offsetof(ReceiveHandle, closed) == 128, "layout");
static_assert(offsetof(ReceiveHandle, fault) == 132, "layout");
static_assert(offsetof(ReceiveHandle, pad136) == 136, "layout");

constexpr uint32_t kFaultSet = 1u << 31;

}  // namespace warpnic
