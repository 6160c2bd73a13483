// SPDX-License-Identifier: Apache-2.0
// The processor this translation unit is compiled for. Together with the other files of port/
// this is the only place that knows it: asm, __CUDA_ARCH__ and threadIdx appear nowhere else.
//
//   WARPNIC_ON_CUDA   1 while code for a CUDA GPU is being generated (nvcc's device pass), else 0
//   WARPNIC_IN_CUDA_SOURCE  1 in a .cu file, whoever compiles it (nvcc or the CPU executor)
//   WARPNIC_DEVICE    marks a function that kernels and CPU threads both may call
//
// Next: order.h (how bytes are handed over), lane.h (who am I in my warp), wait.h (how to wait).
#pragma once

#if defined(__CUDACC__) || defined(__CUDA__)
#define WARPNIC_IN_CUDA_SOURCE 1
#define WARPNIC_DEVICE __host__ __device__ inline
#define WARPNIC_DEVICE_MEMBER __host__ __device__
#else
#define WARPNIC_IN_CUDA_SOURCE 0
#define WARPNIC_DEVICE inline
#define WARPNIC_DEVICE_MEMBER
#endif

#if defined(__CUDA_ARCH__) && !defined(WARPNIC_CPU_EXECUTOR)
#define WARPNIC_ON_CUDA 1
#else
#define WARPNIC_ON_CUDA 0
#endif

// 1 inside a kernel, on a GPU or on the CPU executor; 0 in code of an ordinary CPU thread.
#if defined(__CUDA_ARCH__)
#define WARPNIC_IN_KERNEL 1
#else
#define WARPNIC_IN_KERNEL 0
#endif
