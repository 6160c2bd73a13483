// SPDX-License-Identifier: Apache-2.0
// The persistent kernel, as the host starts it.
#pragma once

#include <cuda_runtime_api.h>

#include "table.h"

struct doca_gpu_eth_rxq;

namespace flows {

enum class ExecScope { kThread, kWarp, kBlock };

struct KernelArguments {
  doca_gpu_eth_rxq* queue;
  Table table;
  const int* exit_flag;     ///< the kernel ends when it is not 0 and no frame is there, or when
                            ///< the queue is stopped
  uint32_t delay_ms;        ///< waits after each recv: a slow consumer, for tests
};

/// Starts one persistent kernel on `stream`. Lanes: 1, 32, or 128.
cudaError_t start_kernel(ExecScope scope, const KernelArguments& arguments, cudaStream_t stream);

}  // namespace flows
