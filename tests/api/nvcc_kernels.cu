// SPDX-License-Identifier: Apache-2.0
// The receive side of the device API in all forms that programs use, for nvcc_test.sh. With
// -DREFUSED=n it must not compile; the sentence after the number is what the compiler must say.
#include <cuda_runtime.h>

#include "doca_gpunetio_dev_eth_rxq.cuh"

namespace {

template <doca_gpu_dev_eth_exec_scope scope, auto attributes>
__global__ void receive(doca_gpu_eth_rxq* queue, uint32_t* exit_flag, uint64_t* sum) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr out[2048];  // with the rest within 48 KiB
  while (DOCA_GPUNETIO_VOLATILE(*exit_flag) == 0) {
    const doca_error_t status =
        doca_gpu_dev_eth_rxq_recv<scope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                  DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, attributes>(
            queue, 2048, 1000000, &first, &count, out);
    if (status != DOCA_SUCCESS) DOCA_GPUNETIO_VOLATILE(*exit_flag) = 1;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      *sum += doca_gpu_dev_eth_rxq_get_pkt_addr(queue, first + i) + out[i].bytes;
    }
    *sum += doca_gpu_dev_eth_rxq_get_pkt_mkey(queue) + doca_gpu_dev_eth_get_lane_id();
  }
}

/// Three arguments, and no attributes.
template <doca_gpu_dev_eth_exec_scope scope>
__global__ void receive_plainly(doca_gpu_eth_rxq* queue, uint64_t* first, uint32_t* count) {
  doca_gpu_dev_eth_rxq_recv<scope, DOCA_GPUNETIO_ETH_MCST_DISABLED,
                            DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB>(queue, 0, 0, first, count,
                                                                     NULL);
  doca_gpu_dev_eth_rxq_recv<scope>(queue, 0, 0, first, count, nullptr);
}

#if REFUSED == 1  // a receive queue has no door that a CPU proxy rings
__global__ void refused(doca_gpu_eth_rxq* queue, uint64_t* first, uint32_t* count) {
  doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK, DOCA_GPUNETIO_ETH_MCST_AUTO,
                            DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY>(queue, 0, 0, first, count,
                                                                     nullptr);
}
#elif REFUSED == 2  // exec_scope is THREAD, WARP or BLOCK
__global__ void refused(doca_gpu_eth_rxq* queue, uint64_t* first, uint32_t* count) {
  doca_gpu_dev_eth_rxq_recv<static_cast<doca_gpu_dev_eth_exec_scope>(3)>(queue, 0, 0, first, count,
                                                                         nullptr);
}
#elif REFUSED == 3  // rx_attr is an enumerator of doca_gpu_dev_eth_rx_attr or a bool
__global__ void refused(doca_gpu_eth_rxq* queue, uint64_t* first, uint32_t* count) {
  doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK, DOCA_GPUNETIO_ETH_MCST_AUTO,
                            DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO, 7>(queue, 0, 0, first, count,
                                                                   nullptr);
}
#endif

}  // namespace

int main() {
  constexpr auto thread = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD;
  constexpr auto warp = DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP;
  constexpr auto block = DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK;
  receive<thread, DOCA_GPUNETIO_ETH_RX_ATTR_ALL><<<1, 1>>>(nullptr, nullptr, nullptr);
  receive<warp, DOCA_GPUNETIO_ETH_RX_ATTR_BYTES><<<1, 32>>>(nullptr, nullptr, nullptr);
  receive<block, DOCA_GPUNETIO_ETH_RX_ATTR_TIMESTAMP><<<1, 512>>>(nullptr, nullptr, nullptr);
  receive<block, true><<<1, 512>>>(nullptr, nullptr, nullptr);
  receive<warp, false><<<1, 32>>>(nullptr, nullptr, nullptr);
  receive_plainly<thread><<<1, 1>>>(nullptr, nullptr, nullptr);
  receive_plainly<warp><<<1, 32>>>(nullptr, nullptr, nullptr);
  receive_plainly<block><<<1, 512>>>(nullptr, nullptr, nullptr);
  return 0;
}
