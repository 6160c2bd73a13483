// SPDX-License-Identifier: Apache-2.0
// Hints that memory will soon be read or written. They change nothing but time: a CPU thread that
// works through a batch frame by frame hides its cache misses with them; on a GPU other lanes do.
#pragma once

#include "target.h"

namespace warpnic {

WARPNIC_DEVICE void prefetch_read(const void* address) {
#if !WARPNIC_ON_CUDA
  __builtin_prefetch(address, 0);
#else
  (void)address;
#endif
}

WARPNIC_DEVICE void prefetch_write(const void* address) {
#if !WARPNIC_ON_CUDA
  __builtin_prefetch(address, 1);
#else
  (void)address;
#endif
}

}  // namespace warpnic
