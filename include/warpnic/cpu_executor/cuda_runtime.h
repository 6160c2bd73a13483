// What a program that includes <cuda_runtime.h> sees on the CPU executor: the runtime's functions,
// their typed C++ forms, vector types, and in .cu files (compiled by warpnic-simtcc, which includes
// this file first) the device language. Plain C and C++ files get the first part only.
#ifndef WARPNIC_CPU_EXECUTOR_CUDA_RUNTIME_H
#define WARPNIC_CPU_EXECUTOR_CUDA_RUNTIME_H

#ifndef WARPNIC_CPU_EXECUTOR
#define WARPNIC_CPU_EXECUTOR 1
#endif

#if defined(__CUDA__) && defined(__clang__)
#include "device/language.h"
#endif

#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "vector_types.h"
#include "warpnic_cpu.h"

#if !(defined(__CUDA__) && defined(__clang__))
// Host files may share headers with device code: the words exist and mean nothing.
#ifndef __host__
#define __host__
#endif
#ifndef __device__
#define __device__
#endif
#ifndef __global__
#define __global__
#endif
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif
#endif

#ifdef __cplusplus
#include "device/host_forms.h"
#endif

#if defined(__CUDA__) && defined(__clang__)
#include "device/atomics.h"
#include "device/bits.h"
#include "device/warp.h"
#endif

#endif
