// SPDX-License-Identifier: Apache-2.0
// relax and now_ns on a CUDA GPU. %globaltimer: PTX ISA, "Special Registers"; nanoseconds, with a
// resolution of 32 ns to 1 us depending on the GPU. Included by ../wait.h only.
#pragma once

namespace warpnic {

WARPNIC_DEVICE void relax() {}

/// Nanoseconds of the GPU's global timer, which the driver keeps close to CLOCK_REALTIME.
WARPNIC_DEVICE uint64_t now_ns() {
  uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
}

}  // namespace warpnic
