// SPDX-License-Identifier: Apache-2.0
// relax and now_ns on a CPU: in a kernel of the CPU executor and in ordinary threads.
// Included by ../wait.h only.
#pragma once

#include <sched.h>
#include <time.h>

namespace warpnic {

#if defined(WARPNIC_CPU_EXECUTOR)
WARPNIC_DEVICE void relax() { warpnic_cpu_yield(); }
WARPNIC_DEVICE uint64_t now_ns() { return warpnic_cpu_globaltimer(); }
#else
inline void relax() { sched_yield(); }
/// Nanoseconds of CLOCK_REALTIME, the clock that kernels see as %globaltimer.
inline uint64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}
#endif

}  // namespace warpnic
