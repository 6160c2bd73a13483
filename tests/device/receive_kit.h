// SPDX-License-Identifier: Apache-2.0
// What the tests of recv have in common: kernels in a given scope, what they found, packets whole.
#pragma once

#include <cuda_runtime.h>

#include "doca_gpunetio_dev_eth_rxq.cuh"
#include "stand_in.h"
#include "warpnic/port/wait.h"

constexpr auto kThread = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD;
constexpr auto kWarp = DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP;
constexpr auto kBlock = DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK;
constexpr uint64_t kTimeoutNs = 1000000;
constexpr uint64_t kDeadlineNs = 100ull * 1000000000;
constexpr uint32_t kMostPackets = 256;

/// What a kernel found, by atomics.
struct Found {
  unsigned long long packets;
  unsigned long long errors;  ///< anything that is not as it must be
  unsigned long long calls;   ///< that returned a packet
  unsigned int most;          ///< packets of one call
  unsigned int status;        ///< of the last call
};

template <doca_gpu_dev_eth_exec_scope kScope>
__device__ inline doca_error_t receive_all(doca_gpu_eth_rxq* queue, uint32_t max, uint64_t timeout,
                                           uint64_t* first, uint32_t* count,
                                           doca_gpu_dev_eth_rxq_attr* attributes) {
  return doca_gpu_dev_eth_rxq_recv<kScope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                   DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                   DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(queue, max, timeout, first,
                                                                  count, attributes);
}

__device__ inline bool packet_is_whole(doca_gpu_eth_rxq* queue, uint64_t index) {
  const auto* words =
      reinterpret_cast<const uint64_t*>(doca_gpu_dev_eth_rxq_get_pkt_addr(queue, index));
  bool whole = true;
  for (uint64_t word = 0; word < 8; ++word) whole = whole && words[word] == index * 1000 + word;
  return whole;
}

__device__ inline bool attributes_are_right(const doca_gpu_dev_eth_rxq_attr& attributes,
                                            uint64_t index) {
  return attributes.bytes == packet_bytes(index) && attributes.timestamp_ns == packet_time(index);
}
