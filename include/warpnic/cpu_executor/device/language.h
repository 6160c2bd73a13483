// The device language in a .cu file: attributes, built-in variables, block barriers, fences, clocks.
// Included by cuda_runtime.h before anything else. Standard headers whose functions kernels may call
// are read here inside clang's force_cuda_host_device region.
#pragma once

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0

#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __restrict__ __restrict

#ifdef WARPNIC_CPU_DEVICE_PASS
// ms_abi: every argument is one 8-byte slot or a pointer, so a launch needs sizes only.
// thread_local: marks shared variables for simt_ir.py, which moves them into the block's memory.
// constant: the host may write it with cudaMemcpyToSymbol, so it must not be read-only data.
#define __global__ __attribute__((global)) __attribute__((ms_abi))
#define __shared__ __attribute__((shared)) thread_local
#define __constant__ __attribute__((device))
#else
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#endif

// Constexpr functions are host and device functions by themselves; C functions need the region.
// libstdc++'s configuration comes before it, or <exception> does not compile in C++20, and its own
// math.h and stdlib.h, which read C++ headers, are passed over for libc's.
#include <bits/c++config.h>
#pragma clang force_cuda_host_device begin
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS 1
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
// Twice, since under NDEBUG assert.h leaves out __assert_fail, which a file may want later.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <assert.h>
#pragma pop_macro("NDEBUG")
#include <assert.h>
#pragma clang force_cuda_host_device end
#include <algorithm>
#include <atomic>
#include <limits>
#include <type_traits>
#include <utility>
#pragma clang force_cuda_host_device begin
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#pragma clang force_cuda_host_device end
#include <cmath>

#include "../vector_types.h"
#include "../warpnic_cpu.h"

#define WARPNIC_CPU_VARIABLE \
  __device__ __thread __attribute__((visibility("default"), tls_model("initial-exec")))
extern WARPNIC_CPU_VARIABLE uint3 threadIdx;
extern WARPNIC_CPU_VARIABLE uint3 blockIdx;
extern WARPNIC_CPU_VARIABLE dim3 blockDim;
extern WARPNIC_CPU_VARIABLE dim3 gridDim;
constexpr int warpSize = 32;

extern "C" {
// kind: 0 plain, 1 count, 2 and, 3 or
WARPNIC_CPU_CALL int warpnic_cpu_barrier(int predicate, int kind);
WARPNIC_CPU_CALL void warpnic_cpu_nanosleep(unsigned int nanoseconds);
WARPNIC_CPU_CALL long long warpnic_cpu_clock(void);
[[noreturn]] WARPNIC_CPU_CALL void warpnic_cpu_trap(const char* reason);
}

// A macro since clang declares the name itself.
#define __syncthreads() ((void)warpnic_cpu_barrier(0, 0))
#define WARPNIC_CPU_INLINE __host__ __device__ __forceinline__

WARPNIC_CPU_INLINE int __syncthreads_count(int predicate) {
  return warpnic_cpu_barrier(predicate != 0, 1);
}
WARPNIC_CPU_INLINE int __syncthreads_and(int predicate) {
  return warpnic_cpu_barrier(predicate != 0, 2);
}
WARPNIC_CPU_INLINE int __syncthreads_or(int predicate) {
  return warpnic_cpu_barrier(predicate != 0, 3);
}

WARPNIC_CPU_INLINE void __threadfence_block() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
WARPNIC_CPU_INLINE void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
WARPNIC_CPU_INLINE void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

WARPNIC_CPU_INLINE void __nanosleep(unsigned int nanoseconds) {
  warpnic_cpu_nanosleep(nanoseconds);
}
WARPNIC_CPU_INLINE long long clock64() { return warpnic_cpu_clock(); }
// libc has a clock() of its own, with another unit; CUDA's is the low half of clock64().
WARPNIC_CPU_INLINE unsigned int warpnic_cpu_clock32() {
  return static_cast<unsigned int>(warpnic_cpu_clock());
}
[[noreturn]] WARPNIC_CPU_INLINE void __trap() { warpnic_cpu_trap("__trap() was called"); }
WARPNIC_CPU_INLINE void __brkpt() {}

template <class T>
WARPNIC_CPU_INLINE T __ldg(const T* pointer) {
  return *pointer;
}
template <class T>
WARPNIC_CPU_INLINE T __ldcg(const T* pointer) {
  return *pointer;
}
template <class T>
WARPNIC_CPU_INLINE T __ldcv(const T* pointer) {
  return *const_cast<const volatile T*>(pointer);
}
template <class T>
WARPNIC_CPU_INLINE void __stcg(T* pointer, T value) {
  *pointer = value;
}

WARPNIC_CPU_INLINE size_t __cvta_generic_to_shared(const void* pointer) {
  return reinterpret_cast<size_t>(pointer);
}
WARPNIC_CPU_INLINE size_t __cvta_generic_to_global(const void* pointer) {
  return reinterpret_cast<size_t>(pointer);
}
