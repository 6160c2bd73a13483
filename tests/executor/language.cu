// The device language: what kernels may say, checked by what they compute.
#include <cooperative_groups.h>
#include <cuda/atomic>

#include "kit.h"

namespace cg = cooperative_groups;

// Compiles to 1 in kernels and 0 on the host.
__host__ __device__ static int in_kernel() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 0;
#endif
}

static __global__ void same_name(int* out) { *out = 2; }

int run_same_name_of_language() {
  Pinned<int> out;
  same_name<<<1, 1>>>(out.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  return *out;
}

__global__ void arch(int* out) { *out = in_kernel(); }

TEST(Language, CudaArchIsDefinedInKernelsOnly) {
  Pinned<int> out;
  arch<<<1, 1>>>(out.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(1, *out);
  EXPECT_EQ(0, in_kernel());
}

template <int kThreads>
__global__ void sum_in_shared(int* out) {
  __shared__ int values[kThreads];
  extern __shared__ int dynamic[];
  values[threadIdx.x] = threadIdx.x;
  dynamic[threadIdx.x] = 2;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < kThreads; i++) {
      sum += values[i] * dynamic[i];
    }
    out[blockIdx.x] = sum;
  }
}

TEST(Language, SharedMemoryBelongsToTheBlock) {
  Pinned<int> out(8);
  sum_in_shared<64><<<8, 64, 64 * sizeof(int)>>>(out.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < 8; i++) {
    EXPECT_EQ(64 * 63, out[i]);
  }
}

__global__ void __launch_bounds__(256) coordinates(unsigned* out) {
  const unsigned block =
      blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread =
      threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

TEST(Language, CoordinatesCountXFirst) {
  Pinned<unsigned> out(24 * 24);
  coordinates<<<dim3(2, 3, 4), dim3(4, 3, 2)>>>(out.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  for (unsigned i = 0; i < 24 * 24; i++) {
    EXPECT_EQ(i / 24 * 1000 + i % 24, out[i]);
  }
}

__global__ void warp_operations(unsigned* failures) {
  const unsigned lane = threadIdx.x & 31;
  auto expect = [&](bool ok, int number) {
    if (!ok) {
      atomicOr(failures, 1u << number);
    }
  };
  expect(__ballot_sync(~0u, lane % 2) == 0xaaaaaaaau, 0);
  expect(__any_sync(~0u, lane == 7) && !__any_sync(~0u, 0), 1);
  expect(__all_sync(~0u, 1) && !__all_sync(~0u, lane != 7), 2);
  expect(__shfl_sync(~0u, lane * 3, 5) == 15, 3);
  expect(__shfl_up_sync(~0u, lane, 1) == (lane == 0 ? 0 : lane - 1), 4);
  expect(__shfl_down_sync(~0u, lane, 2) == (lane >= 30 ? lane : lane + 2), 5);
  expect(__shfl_xor_sync(~0u, lane, 16) == (lane ^ 16), 6);
  expect(__shfl_sync(~0u, lane, 1, 8) == (lane & ~7u) + 1, 7);
  expect(__shfl_sync(~0u, lane + 0.5, 3) == 3.5, 8);
  expect(__match_any_sync(~0u, lane / 16) == (lane < 16 ? 0x0000ffffu : 0xffff0000u), 9);
  int equal = 0;
  expect(__match_all_sync(~0u, 7, &equal) == ~0u && equal, 10);
  expect(__match_all_sync(~0u, lane, &equal) == 0 && !equal, 11);
#if __CUDA_ARCH__ >= 800
  expect(__reduce_add_sync(~0u, lane) == 496, 12);
  expect(__reduce_max_sync(~0u, static_cast<int>(lane) - 40) == -9, 13);
  expect(__reduce_min_sync(~0u, static_cast<int>(lane) - 40) == -40, 14);
  expect(__reduce_or_sync(~0u, 1u << lane) == ~0u && __reduce_xor_sync(~0u, 1u) == 0, 15);
#endif
  expect((__activemask() >> lane) & 1, 16);
  if (lane < 16) {  // halves with masks of their own, at the same time
    expect(__ballot_sync(0x0000ffffu, lane & 1) == 0xaaaau, 17);
    __syncwarp(0x0000ffffu);
  } else {
    expect(__ballot_sync(0xffff0000u, 1) == 0xffff0000u, 18);
  }
  __syncwarp();
  const int count = __syncthreads_count(lane == 3);
  expect(count == static_cast<int>(blockDim.x / 32), 19);
  expect(__syncthreads_and(1) && !__syncthreads_and(lane != 3), 20);
  expect(__syncthreads_or(lane == 3) && !__syncthreads_or(0), 21);
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  expect(tile.shfl(lane, 0) == (lane & ~7u) && tile.thread_rank() == lane % 8, 22);
  expect(tile.ballot(tile.thread_rank() == 2) == 4u && tile.any(1), 23);
}

TEST(Language, WarpOperations) {
  Pinned<unsigned> failures;
  warp_operations<<<2, 96>>>(failures.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(0u, *failures) << "bits are the numbers of the failed expectations";
}

__global__ void partial_warp(int* out) {
  if (threadIdx.x >= 8) {
    return;  // lanes that are gone do not hold up the others
  }
  __syncwarp();
  const unsigned voters = __ballot_sync(~0u, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    *out = static_cast<int>(voters);
  }
}

TEST(Language, ExitedLanesAreNotWaitedFor) {
  Pinned<int> out;
  partial_warp<<<1, 20>>>(out.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(0xff, *out);
}

struct Words {
  unsigned u;
  int i;
  unsigned long long ull;
  float f;
  double d;
  unsigned max, min, inc, dec, exch, cas, bits;
};

__global__ void atomics(Words* w) {
  atomicAdd(&w->u, 1);
  atomicAdd_block(&w->i, 2);
  atomicAdd_system(&w->ull, 1ull << 33);
  atomicAdd(&w->f, 0.5f);
  atomicAdd(&w->d, 0.25);
  atomicSub(&w->i, 1);
  atomicMax(&w->max, threadIdx.x);
  atomicMin(&w->min, threadIdx.x + 3);
  atomicInc(&w->inc, 9);
  atomicDec(&w->dec, 9);
  atomicXor(&w->bits, 1u << (threadIdx.x & 31));
  while (atomicCAS(&w->cas, threadIdx.x, threadIdx.x + 1) != threadIdx.x) {
  }
  atomicExch(&w->exch, 5);
}

TEST(Language, Atomics) {
  Pinned<Words> w;
  w->min = 100;
  atomics<<<1, 64>>>(w.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(64u, w->u);
  EXPECT_EQ(64, w->i);
  EXPECT_EQ(64ull << 33, w->ull);
  EXPECT_EQ(32.0f, w->f);
  EXPECT_EQ(16.0, w->d);
  EXPECT_EQ(63u, w->max);
  EXPECT_EQ(3u, w->min);
  EXPECT_EQ(64u % 10, w->inc);
  EXPECT_EQ(6u, w->dec);  // 0, 9, 8, ... 0, 9, ...: ten values in turn
  EXPECT_EQ(0u, w->bits);
  EXPECT_EQ(64u, w->cas);
  EXPECT_EQ(5u, w->exch);
}

// The PTX that CUDA programs carry themselves, in the two ways it is written.
__device__ unsigned long long read_globaltimer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
__device__ __forceinline__ unsigned read_laneid() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;"
      : "=r"(lane));
  return lane;
}

__global__ void bits(unsigned* failures) {
  auto expect = [&](bool ok, int number) { *failures |= ok ? 0u : 1u << number; };
  expect(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64, 0);
  expect(__ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41, 1);
  expect(__clz(0) == 32 && __clz(1) == 31 && __clzll(1) == 63, 2);
  expect(__brev(1) == 0x80000000u && __brevll(1) == 1ull << 63, 3);
  expect(__byte_perm(0x03020100, 0x07060504, 0x0123) == 0x00010203, 4);
  expect(__byte_perm(0x80, 0, 0x8888) == 0xffffffffu, 5);
  expect(__funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(0, 1, 1) == 0x80000000u, 6);
  expect(min(3, 4u) == 3u && max(2.0f, 1.0f) == 2.0f, 7);
  expect(make_uint4(1, 2, 3, 4).w == 4 && make_ulonglong2(5, 6).y == 6, 8);
  expect(sizeof(uint4) == 16 && alignof(uint4) == 16 && alignof(uint3) == 4, 9);
  const int value = 17;
  expect(__ldg(&value) == 17 && clock64() != 0 && clock() != 0, 10);
  const unsigned long long before = read_globaltimer();
  expect(before > 1600000000ull * 1000000000ull && read_globaltimer() >= before, 12);
  expect(read_laneid() == threadIdx.x % 32, 13);
  expect(sqrtf(16.0f) == 4.0f && fabs(-2.0) == 2.0, 11);
  __nanosleep(100);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  assert(*failures == 0);
}

TEST(Language, IntegerIntrinsicsVectorsAndMath) {
  Pinned<unsigned> failures;
  bits<<<1, 1>>>(failures.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(0u, *failures);
}

__global__ void atomic_references(unsigned* word, cuda::atomic<int>* counter) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> reference(*word);
  reference.fetch_add(2, cuda::memory_order_relaxed);
  reference.fetch_max(1);
  counter->fetch_add(1, cuda::memory_order_acq_rel);
}

TEST(Language, CudaAtomicHeader) {
  Pinned<unsigned> word;
  Pinned<cuda::atomic<int>> counter;
  atomic_references<<<2, 32>>>(word.get(), counter.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(128u, *word);
  EXPECT_EQ(64, counter->load());
}

__global__ void speak() { printf("lane %d speaks\n", static_cast<int>(threadIdx.x)); }

TEST(Language, PrintfInKernels) {
  testing::internal::CaptureStdout();
  speak<<<1, 2>>>();
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ("lane 0 speaks\nlane 1 speaks\n", testing::internal::GetCapturedStdout());
}
