// Cooperative groups: the block, tiles of a warp, and coalesced groups. Lanes run one by one, so a
// coalesced group is the calling lane alone (correct, if pessimistic; see __activemask).
#pragma once

#include "cuda_runtime.h"

#if defined(__CUDA__) && defined(__clang__)
namespace cooperative_groups {

class thread_block {
 public:
  __host__ __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned int thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  __device__ static unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned int num_threads() { return size(); }
  __device__ static dim3 group_index() { return blockIdx; }
  __device__ static dim3 thread_index() { return threadIdx; }
  __device__ static dim3 dim_threads() { return blockDim; }
};

__device__ inline thread_block this_thread_block() { return {}; }

template <unsigned int kSize>
class thread_block_tile {
  static_assert(kSize != 0 && kSize <= 32 && (kSize & (kSize - 1)) == 0,
                "tiles have 1, 2, 4, 8, 16 or 32 lanes");
  static constexpr unsigned int kLanes =
      kSize == 32 ? 0xffffffffu : (1u << (kSize & 31)) - 1;

 public:
  __device__ static unsigned int first_lane() { return warpnic_cpu_lane() & ~(kSize - 1); }
  __device__ static unsigned int mask() { return kLanes << first_lane(); }
  __device__ static unsigned int thread_rank() { return warpnic_cpu_lane() & (kSize - 1); }
  __device__ static unsigned int size() { return kSize; }
  __device__ static unsigned int num_threads() { return kSize; }
  __device__ static unsigned int meta_group_rank() { return thread_block::thread_rank() / kSize; }
  __device__ static unsigned int meta_group_size() {
    return (thread_block::size() + kSize - 1) / kSize;
  }
  __device__ static void sync() { __syncwarp(mask()); }
  template <class T>
  __device__ T shfl(T value, int source) const {
    return __shfl_sync(mask(), value, source, kSize);
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned int delta) const {
    return __shfl_up_sync(mask(), value, delta, kSize);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned int delta) const {
    return __shfl_down_sync(mask(), value, delta, kSize);
  }
  template <class T>
  __device__ T shfl_xor(T value, int bits) const {
    return __shfl_xor_sync(mask(), value, bits, kSize);
  }
  __device__ unsigned int ballot(int predicate) const {
    return (__ballot_sync(mask(), predicate) >> first_lane()) & kLanes;
  }
  __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
  template <class T>
  __device__ unsigned int match_any(T value) const {
    return (__match_any_sync(mask(), value) >> first_lane()) & kLanes;
  }
};

template <unsigned int kSize, class Group>
__device__ inline thread_block_tile<kSize> tiled_partition(const Group&) {
  return {};
}

class coalesced_group {
 public:
  __device__ explicit coalesced_group(unsigned int mask) : mask_(mask) {}
  __device__ unsigned int size() const { return static_cast<unsigned int>(__popc(mask_)); }
  __device__ unsigned int num_threads() const { return size(); }
  __device__ unsigned int thread_rank() const {
    return static_cast<unsigned int>(__popc(mask_ & ((1u << warpnic_cpu_lane()) - 1)));
  }
  __device__ void sync() const { __syncwarp(mask_); }
  __device__ unsigned int ballot(int predicate) const { return predicate ? 1u : 0u; }
  template <class T>
  __device__ T shfl(T value, int) const {
    return value;
  }

 private:
  unsigned int mask_;
};

__device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
__device__ inline void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
#endif
