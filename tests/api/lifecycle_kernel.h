// SPDX-License-Identifier: Apache-2.0
// Kernels of the life cycle tests, and what they share with the host.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

struct doca_gpu_eth_rxq;

namespace lifecycle {

/// In memory of DOCA_GPU_MEM_TYPE_GPU_CPU.
struct Shared {
  int exit_flag;     ///< by the host
  int entered;       ///< by the kernel: it runs
  int status;        ///< its last doca_error_t
  uint64_t frames;   ///< received so far
  uint64_t first;    ///< index of the first frame it received
  uint64_t bytes;    ///< of those frames
};

/// A block that receives until it is told to end, or recv fails.
cudaError_t receive_until_told(doca_gpu_eth_rxq* queue, uint64_t timeout_ns, Shared* shared,
                               cudaStream_t stream);
/// One thread that calls recv once.
cudaError_t receive_once(doca_gpu_eth_rxq* queue, Shared* shared, cudaStream_t stream);
/// One thread that is inside a receive until it is told to end.
cudaError_t stay_inside(doca_gpu_eth_rxq* queue, Shared* shared, cudaStream_t stream);

}  // namespace lifecycle
