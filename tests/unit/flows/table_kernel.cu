// SPDX-License-Identifier: Apache-2.0
#include "table_kernel.h"

#include <cuda_runtime.h>

namespace flows {
namespace {

__global__ void add_frames(AddPlan plan) {
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < plan.frames;
       i += gridDim.x * blockDim.x) {
    add_one<true>(plan, i);
  }
}

}  // namespace

cudaError_t start_adding(const AddPlan& plan, unsigned blocks, unsigned lanes) {
  add_frames<<<blocks, lanes>>>(plan);
  return cudaGetLastError();
}

}  // namespace flows
