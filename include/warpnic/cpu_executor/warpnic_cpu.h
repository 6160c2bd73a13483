// The executor's own calls, for code that waits: usable in kernels and in ordinary CPU threads.
//
//   warpnic_cpu_yield        lets the other lanes of the block run; sched_yield in a CPU thread.
//                            Every loop of device code that waits for somebody calls it
//   warpnic_cpu_lane         lane of the calling CUDA thread in its warp; 0 in a CPU thread
//   warpnic_cpu_globaltimer  CLOCK_REALTIME in nanoseconds, what PTX calls %globaltimer
#ifndef WARPNIC_CPU_EXECUTOR_WARPNIC_CPU_H
#define WARPNIC_CPU_EXECUTOR_WARPNIC_CPU_H

#include <stdint.h>

#if defined(__CUDA__) && defined(__clang__)
#define WARPNIC_CPU_CALL \
  __attribute__((host)) __attribute__((device)) __attribute__((visibility("default")))
#else
#define WARPNIC_CPU_CALL __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

WARPNIC_CPU_CALL void warpnic_cpu_yield(void);
WARPNIC_CPU_CALL unsigned int warpnic_cpu_lane(void);
WARPNIC_CPU_CALL uint64_t warpnic_cpu_globaltimer(void);

#ifdef __cplusplus
}
#endif

#endif
