// Warp and block groups, in CUDA's words; also compiled by the CPU executor, which speaks them.
// Included by ../lane.h only.
#pragma once

namespace warpnic {

struct WarpLanes {
  static constexpr unsigned kLanes = 32;
  uint32_t mask;  ///< the lanes that take part

  /// All lanes of the warp that have not exited must call this together.
  __device__ WarpLanes() : mask(0xffffffffu) {}
  __device__ explicit WarpLanes(uint32_t lanes) : mask(lanes) {}

  __device__ unsigned lane() const {
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u;
  }
  __device__ bool is_leader() const { return lane() == static_cast<unsigned>(__ffs(mask) - 1); }
  __device__ void sync() const { __syncwarp(mask); }
  __device__ bool any(bool p) const { return __any_sync(mask, p) != 0; }
  __device__ uint32_t ballot(bool p) const { return __ballot_sync(mask, p); }
  template <class T>
  __device__ T shuffle(T value, unsigned source) const {
    return __shfl_sync(mask, value, static_cast<int>(source));
  }
};

struct BlockLanes {
  __device__ unsigned lane() const {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  __device__ void sync() const { __syncthreads(); }
  __device__ bool any(bool p) const { return __syncthreads_or(p) != 0; }
};

}  // namespace warpnic
