// SPDX-License-Identifier: Apache-2.0
// Receives packets and counts flows until it is told to end.
#include <cuda_runtime.h>

#include "doca_gpunetio_dev_eth_rxq.cuh"
#include "kernel.h"

namespace flows {
namespace {

constexpr unsigned kBlockLanes = 128;
constexpr uint32_t kMaxPackets = 256;
constexpr uint64_t kTimeoutNs = 1000000;

__device__ void wait_ms(uint32_t ms) {
  const uint64_t end = warpnic::now_ns() + uint64_t{ms} * 1000000;
  while (warpnic::now_ns() < end) warpnic::relax();
}

/// Whether any lane says so; all lanes get the same answer.
template <enum doca_gpu_dev_eth_exec_scope kScope>
__device__ bool any_lane(bool says) {
  if constexpr (kScope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK) return __syncthreads_or(says) != 0;
  if constexpr (kScope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP) {
    return __any_sync(0xffffffffu, says) != 0;
  }
  return says;
}

template <enum doca_gpu_dev_eth_exec_scope kScope>
__global__ void count_flows(KernelArguments arguments) {
  constexpr bool kShared = kScope != DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD;
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMaxPackets];
  Totals* totals = arguments.table.totals;
  uint64_t frames = 0;
  uint64_t bytes = 0;
  doca_error_t status = DOCA_SUCCESS;
  while (true) {
    status = doca_gpu_dev_eth_rxq_recv<kScope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                       DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                       DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(
        arguments.queue, kMaxPackets, kTimeoutNs, &first, &count, attributes);
    if (status != DOCA_SUCCESS) break;
    // Lanes share the frames among them, so they must all leave in the same turn.
    if (count == 0) {
      if (any_lane<kScope>(DOCA_GPUNETIO_VOLATILE(*arguments.exit_flag) != 0)) break;
      continue;
    }
    // Before the packets are read: the queue's hold-back keeps them as they are meanwhile.
    if (arguments.delay_ms != 0) wait_ms(arguments.delay_ms);
    // A lane looks at some frames before it counts the first of them: by then its cache has their
    // flows. Beside other lanes one frame at a time will do, since those hide the wait.
    constexpr uint32_t kAtOnce = kShared ? 1 : 16;
    Seen seen[kAtOnce];
    for (uint32_t i = threadIdx.x; i < count; i += kAtOnce * blockDim.x) {
      uint32_t found = 0;
      for (uint32_t k = i; found < kAtOnce && k < count; k += blockDim.x) {
        const auto* frame = reinterpret_cast<const uint8_t*>(
            doca_gpu_dev_eth_rxq_get_pkt_addr(arguments.queue, first + k));
        see_frame(arguments.table, frame, attributes[k].bytes, attributes[k].timestamp_ns,
                  seen[found++]);
      }
      for (uint32_t k = 0; k < found; ++k) {
        count_frame<kShared>(arguments.table, seen[k]);
        bytes += seen[k].bytes;
      }
      frames += found;
    }
  }
  add<kShared>(&totals->frames, frames);
  add<kShared>(&totals->bytes, bytes);
  if (threadIdx.x == 0) totals->end = status;
}

}  // namespace

cudaError_t start_kernel(ExecScope scope, const KernelArguments& arguments, cudaStream_t stream) {
  switch (scope) {
    case ExecScope::kThread:
      count_flows<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD><<<1, 1, 0, stream>>>(arguments);
      break;
    case ExecScope::kWarp:
      count_flows<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP><<<1, 32, 0, stream>>>(arguments);
      break;
    case ExecScope::kBlock:
      count_flows<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK><<<1, kBlockLanes, 0, stream>>>(arguments);
      break;
  }
  return cudaGetLastError();
}

}  // namespace flows
