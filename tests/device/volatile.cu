// SPDX-License-Identifier: Apache-2.0
// DOCA_GPUNETIO_VOLATILE: kernels that spin on a flag go on when a host thread in C, or another
// lane of their own warp, sets it. Values and sizes that existing programs rely on.
#include <cuda_runtime.h>

#include "../executor/kit.h"
#include "doca_gpunetio_dev_eth_rxq.cuh"
#include "volatile_in_c.h"

namespace {

__global__ void wait_for_flags(flags* shared) {
  while (!DOCA_GPUNETIO_VOLATILE(shared->set)) {
  }
  while (DOCA_GPUNETIO_VOLATILE(shared->words[1]) == 0) {
  }
  DOCA_GPUNETIO_VOLATILE(shared->answer) = DOCA_GPUNETIO_VOLATILE(shared->words[1]) + 1;
}

TEST(Volatile, KernelSeesAFlagThatAHostThreadInCSets) {
  Pinned<flags> shared;
  TestStream stream;
  wait_for_flags<<<1, 1, 0, stream>>>(shared.get());
  set_flags(shared.get(), 41);
  while (read_word(&shared->answer) == 0) {
  }
  stream.wait();
  EXPECT_EQ(42u, read_word(&shared->answer));
}

/// Lane 0 spins first; the last lane, of the same warp or of another, sets the flag.
__global__ void wait_for_neighbour(uint32_t* out) {
  __shared__ struct {
    bool go;
    uint32_t value;
  } shared;
  if (threadIdx.x == 0) DOCA_GPUNETIO_VOLATILE(shared.go) = false;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    DOCA_GPUNETIO_VOLATILE(shared.value) = 7;
    __threadfence_block();
    DOCA_GPUNETIO_VOLATILE(shared.go) = true;
  } else {
    while (!DOCA_GPUNETIO_VOLATILE(shared.go)) {
    }
    __threadfence_block();
    atomicAdd(out, DOCA_GPUNETIO_VOLATILE(shared.value));
  }
}

TEST(Volatile, LanesThatSpinLetTheirNeighbourSetTheFlag) {
  for (unsigned threads : {2u, 32u, 96u}) {
    Pinned<uint32_t> out;
    wait_for_neighbour<<<1, threads>>>(out.get());
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(7 * (threads - 1), *out);
  }
}

TEST(Definitions, PinnedValuesAreAsProgramsExpect) {
  EXPECT_EQ(0, DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD);
  EXPECT_EQ(1, DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP);
  EXPECT_EQ(2, DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK);
  EXPECT_EQ(0, DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO);
  EXPECT_EQ(32, DOCA_GPUNETIO_ETH_WARP_SIZE);
  EXPECT_EQ(0, DOCA_GPUNETIO_ETH_SEND_FLAG_NONE);
  EXPECT_EQ(16u, sizeof(doca_gpu_dev_eth_rxq_attr));
  doca_gpu_dev_eth_rxq_attr attributes{};
  EXPECT_EQ(4u, sizeof attributes.bytes);
  EXPECT_EQ(8u, sizeof attributes.timestamp_ns);
}

}  // namespace
