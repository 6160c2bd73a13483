// SPDX-License-Identifier: Apache-2.0
// The engine as a kernel of 32 lanes: slices of some steps, all state in memory between them.
#include <cuda_runtime.h>

#include "engine_kernel.h"
#include "nic/virtual/engine/receive.h"

namespace {

__global__ void engine_slice(warpnic::engine::Engine* engine, unsigned most_steps,
                             uint32_t* out_moved) {
  const warpnic::WarpLanes lanes;
  uint32_t moved = 0;
  for (unsigned i = 0; i < most_steps; ++i) {
    const uint32_t frames = warpnic::engine::step(*engine, lanes);
    if (frames == 0) break;
    moved += frames;
  }
  if (lanes.lane() == 0) *out_moved = moved;
}

}  // namespace

KernelEngine::KernelEngine() {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess ||
      cudaHostAlloc(&moved_, sizeof *moved_, cudaHostAllocDefault) != cudaSuccess) {
    moved_ = nullptr;
  }
  stream_ = stream;
}

KernelEngine::~KernelEngine() {
  cudaFreeHost(moved_);
  cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

bool KernelEngine::slice(warpnic::engine::Engine* engine, unsigned most_steps,
                         uint32_t* out_moved) {
  if (moved_ == nullptr) return false;
  const auto stream = static_cast<cudaStream_t>(stream_);
  engine_slice<<<1, 32, 0, stream>>>(engine, most_steps, moved_);
  if (cudaGetLastError() != cudaSuccess || cudaStreamSynchronize(stream) != cudaSuccess) {
    return false;
  }
  *out_moved = *moved_;
  return true;
}
