// Memory: exact sizes, so that AddressSanitizer sees the first byte behind an allocation.
#include "memory.h"

#include <stdlib.h>

#include <map>
#include <mutex>

#include "cuda_runtime_api.h"
#include "error.h"
#include "stream.h"

namespace warpnic::cpu {
namespace {

constexpr size_t kAlignment = 256;
constexpr unsigned kKnownHostFlags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kKnownRegisterFlags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                         cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

struct Allocations {
  std::mutex mutex;
  std::map<uintptr_t, Allocation> by_address;
};

Allocations& allocations() {
  static auto* value = new Allocations;  // also keeps leaked device memory reachable
  return *value;
}

// The caller holds the mutex.
std::map<uintptr_t, Allocation>::iterator containing(uintptr_t address) {
  auto& all = allocations().by_address;
  auto after = all.upper_bound(address);
  if (after == all.begin()) {
    return all.end();
  }
  --after;
  return address - after->first < after->second.bytes ? after : all.end();
}

cudaError_t allocate(void** pointer, size_t bytes, MemoryKind kind, unsigned flags) {
  if (pointer == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  if (bytes == 0) {
    *pointer = nullptr;
    return cudaSuccess;
  }
  // Asking for more than any machine has is an answer, not a reason for a sanitizer to stop.
  void* memory = nullptr;
  if (bytes > (size_t{1} << 40) || posix_memalign(&memory, kAlignment, bytes) != 0) {
    return fail(cudaErrorMemoryAllocation);
  }
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const std::lock_guard lock(allocations().mutex);
  allocations().by_address[begin] = Allocation{begin, bytes, kind, flags};
  *pointer = memory;
  return cudaSuccess;
}

/// Takes an allocation out of the table if it is one that this call may free.
bool remove(void* pointer, bool host) {
  const std::lock_guard lock(allocations().mutex);
  auto& all = allocations().by_address;
  const auto found = all.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.end() || found->second.kind == MemoryKind::kRegistered ||
      (found->second.kind == MemoryKind::kPinned) != host) {
    return false;
  }
  all.erase(found);
  return true;
}

cudaError_t release(void* pointer, bool host) {
  if (pointer == nullptr) {
    return cudaSuccess;
  }
  Allocation known;
  if (!find_allocation(pointer, &known) ||
      known.begin != reinterpret_cast<uintptr_t>(pointer)) {
    return fail(cudaErrorInvalidValue);
  }
  // As on a GPU: memory is not taken away from work that was submitted before.
  synchronise_device();
  if (!remove(pointer, host)) {
    return fail(cudaErrorInvalidValue);
  }
  free(pointer);
  return cudaSuccess;
}

}  // namespace

bool find_allocation(const void* address, Allocation* found) {
  const std::lock_guard lock(allocations().mutex);
  const auto it = containing(reinterpret_cast<uintptr_t>(address));
  if (it == allocations().by_address.end()) {
    return false;
  }
  *found = it->second;
  return true;
}

bool range_is_valid(const void* address, size_t bytes) {
  Allocation a;
  return !find_allocation(address, &a) ||
         bytes <= a.bytes - (reinterpret_cast<uintptr_t>(address) - a.begin);
}

}  // namespace warpnic::cpu

using namespace warpnic::cpu;

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::kDevice, 0);
}

cudaError_t cudaFree(void* pointer) { return release(pointer, false); }

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::kPinned, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  if ((flags & ~kKnownHostFlags) != 0) {
    return fail(cudaErrorInvalidValue);
  }
  return allocate(pointer, bytes, MemoryKind::kPinned, flags);
}

cudaError_t cudaFreeHost(void* pointer) { return release(pointer, true); }

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
    return fail(cudaErrorInvalidValue);
  }
  return allocate(pointer, bytes, MemoryKind::kManaged, flags);
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  if (!find_stream(stream)) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  return allocate(pointer, bytes, MemoryKind::kDevice, 0);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t handle) {
  const auto stream = find_stream(handle);
  if (!stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (pointer == nullptr || !remove(pointer, false)) {
    return fail(cudaErrorInvalidValue);
  }
  submit(stream, [pointer] { free(pointer); });
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  if (pointer == nullptr || bytes == 0 || (flags & ~kKnownRegisterFlags) != 0) {
    return fail(cudaErrorInvalidValue);
  }
  const auto begin = reinterpret_cast<uintptr_t>(pointer);
  const std::lock_guard lock(allocations().mutex);
  auto& all = allocations().by_address;
  const auto next = all.lower_bound(begin);
  if (containing(begin) != all.end() || (next != all.end() && next->first - begin < bytes)) {
    return fail(cudaErrorHostMemoryAlreadyRegistered);
  }
  all[begin] = Allocation{begin, bytes, MemoryKind::kRegistered, flags};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
  const std::lock_guard lock(allocations().mutex);
  auto& all = allocations().by_address;
  const auto found = all.find(reinterpret_cast<uintptr_t>(pointer));
  if (found == all.end() || found->second.kind != MemoryKind::kRegistered) {
    return fail(cudaErrorHostMemoryNotRegistered);
  }
  all.erase(found);
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  Allocation a;
  if (device == nullptr || flags != 0 || !find_allocation(host, &a) ||
      a.kind == MemoryKind::kDevice) {
    return fail(cudaErrorInvalidValue);
  }
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  Allocation a;
  if (flags == nullptr || !find_allocation(host, &a) || a.kind != MemoryKind::kPinned) {
    return fail(cudaErrorInvalidValue);
  }
  *flags = a.flags | cudaHostAllocMapped;
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes,
                                     const void* pointer) {
  if (attributes == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  *attributes = cudaPointerAttributes{};
  void* address = const_cast<void*>(pointer);
  Allocation a;
  if (!find_allocation(pointer, &a)) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = -2;  // cudaInvalidDeviceId
    attributes->hostPointer = address;
    return cudaSuccess;
  }
  attributes->device = 0;
  attributes->devicePointer = address;
  switch (a.kind) {
    case MemoryKind::kDevice:
      attributes->type = cudaMemoryTypeDevice;
      return cudaSuccess;
    case MemoryKind::kPinned:
    case MemoryKind::kRegistered:
      attributes->type = cudaMemoryTypeHost;
      break;
    case MemoryKind::kManaged:
      attributes->type = cudaMemoryTypeManaged;
      break;
  }
  attributes->hostPointer = address;
  return cudaSuccess;
}
