// SPDX-License-Identifier: Apache-2.0
#include "lifecycle_kernel.h"

#include "doca_gpunetio_dev_eth_rxq.cuh"

namespace lifecycle {
namespace {

constexpr uint32_t kMaxPackets = 64;

__global__ void receive_loop(doca_gpu_eth_rxq* queue, uint64_t timeout_ns, Shared* shared) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMaxPackets];
  bool is_first = true;
  if (threadIdx.x == 0) DOCA_GPUNETIO_VOLATILE(shared->entered) = 1;
  while (DOCA_GPUNETIO_VOLATILE(shared->exit_flag) == 0) {
    const doca_error_t status =
        doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                  DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                  DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(
            queue, kMaxPackets, timeout_ns, &first, &count, attributes);
    if (threadIdx.x == 0) {
      if (is_first && count != 0) DOCA_GPUNETIO_VOLATILE(shared->first) = first;
      if (count != 0) is_first = false;
      uint64_t bytes = 0;
      for (uint32_t i = 0; i < count; ++i) bytes += attributes[i].bytes;
      DOCA_GPUNETIO_VOLATILE(shared->bytes) = shared->bytes + bytes;
      DOCA_GPUNETIO_VOLATILE(shared->frames) = shared->frames + count;
      DOCA_GPUNETIO_VOLATILE(shared->status) = status;
    }
    if (status != DOCA_SUCCESS) break;
  }
}

__global__ void receive_one(doca_gpu_eth_rxq* queue, Shared* shared) {
  uint64_t first = 0;
  uint32_t count = 0;
  shared->status = doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD>(
      queue, kMaxPackets, 0, &first, &count, nullptr);
  shared->frames = count;
}

__global__ void hold(doca_gpu_eth_rxq* queue, Shared* shared) {
  auto& handle = *reinterpret_cast<warpnic::ReceiveHandle*>(queue);
  (void)warpnic::receive_enter(handle);
  DOCA_GPUNETIO_VOLATILE(shared->entered) = 1;
  while (DOCA_GPUNETIO_VOLATILE(shared->exit_flag) == 0) warpnic::relax();
  warpnic::receive_leave(handle);
}

}  // namespace

cudaError_t receive_until_told(doca_gpu_eth_rxq* queue, uint64_t timeout_ns, Shared* shared,
                               cudaStream_t stream) {
  receive_loop<<<1, 64, 0, stream>>>(queue, timeout_ns, shared);
  return cudaGetLastError();
}

cudaError_t receive_once(doca_gpu_eth_rxq* queue, Shared* shared, cudaStream_t stream) {
  receive_one<<<1, 1, 0, stream>>>(queue, shared);
  return cudaGetLastError();
}

cudaError_t stay_inside(doca_gpu_eth_rxq* queue, Shared* shared, cudaStream_t stream) {
  hold<<<1, 1, 0, stream>>>(queue, shared);
  return cudaGetLastError();
}

}  // namespace lifecycle
