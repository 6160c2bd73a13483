// SPDX-License-Identifier: Apache-2.0
// Warp and block groups, in CUDA's words; also compiled by the CPU executor, which speaks them.
// Included by ../lane.h only.
#pragma once

namespace warpnic {

__device__ inline unsigned thread_in_block() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// CUDA C++ Programming Guide, "Warp Vote Functions", "Synchronization Functions": every lane
/// named in the mask that has NOT exited must take part. So the full mask serves also a warp that
/// some lanes have left; their votes are zero.
struct WarpLanes {
  static constexpr unsigned kLanes = 32;
  static constexpr unsigned kAll = 0xffffffffu;

  __device__ unsigned lane() const { return thread_in_block() & 31u; }
  __device__ void sync() const { __syncwarp(kAll); }
  __device__ bool any(bool p) const { return __any_sync(kAll, p) != 0; }
  __device__ uint32_t ballot(bool p) const { return __ballot_sync(kAll, p); }
  template <class T>
  __device__ T shuffle(T value, unsigned source) const {
    return __shfl_sync(kAll, value, static_cast<int>(source));
  }
  __device__ bool elect() const {
    __syncwarp(kAll);
    const uint32_t present = __ballot_sync(kAll, true);
    return lane() == static_cast<unsigned>(__ffs(static_cast<int>(present)) - 1);
  }
  __device__ unsigned share(bool leads, unsigned value) const {
    const uint32_t leader = __ballot_sync(kAll, leads);
    value = __shfl_sync(kAll, value, __ffs(static_cast<int>(leader)) - 1);
    __syncwarp(kAll);
    return value;
  }
};

struct BlockLanes {
  __device__ unsigned lane() const { return thread_in_block(); }
  __device__ void sync() const { __syncthreads(); }
  __device__ bool any(bool p) const { return __syncthreads_or(p) != 0; }

  /// Thread 0, at the cost of one barrier, as long as it has not exited; then the lowest thread
  /// that is there, found bit by bit.
  __device__ bool elect() const {
    const unsigned me = thread_in_block();
    if (__syncthreads_or(me == 0)) return me == 0;
    bool candidate = true;
    for (int bit = 9; bit >= 0; --bit) {  // a block has at most 1024 threads
      const bool low = candidate && ((me >> bit) & 1u) == 0;
      if (__syncthreads_or(low)) candidate = low;
    }
    return candidate;
  }
  /// One barrier while the value is zero, which is the common case; else one more for each bit.
  __device__ unsigned share(bool leads, unsigned value) const {
    if (!__syncthreads_or(leads && value != 0)) return 0;
    unsigned shared = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (__syncthreads_or(leads && ((value >> bit) & 1u))) shared |= 1u << bit;
    }
    return shared;
  }
};

}  // namespace warpnic
