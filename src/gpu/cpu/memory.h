// What memory the program got from the runtime or registered with it.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "driver_types.h"

namespace warpnic::cpu {

enum class MemoryKind : uint8_t { kDevice, kPinned, kManaged, kRegistered };

struct Allocation {
  uintptr_t begin = 0;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  unsigned flags = 0;
};

/// The allocation that the address lies in; false if there is none.
bool find_allocation(const void* address, Allocation* found);

/// False if the range begins in a known allocation and ends behind it.
bool range_is_valid(const void* address, size_t bytes);

}  // namespace warpnic::cpu
