// SPDX-License-Identifier: Apache-2.0
#include "core/gpu_context.h"

namespace warpnic {
namespace {

/// Where memory maps look up what they are given: allocations by their first address.
struct Index {
  std::mutex mutex;
  std::map<uintptr_t, std::weak_ptr<Allocation>> by_begin;
};
Index& index() {
  static Index* const instance = new Index;
  return *instance;
}

}  // namespace

std::shared_ptr<Allocation> find_allocation(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::lock_guard lock(index().mutex);
  auto after = index().by_begin.upper_bound(wanted);
  if (after == index().by_begin.begin()) return nullptr;
  const std::shared_ptr<Allocation> found = std::prev(after)->second.lock();
  if (!found || wanted - found->begin() >= found->bytes()) return nullptr;
  return found;
}

GpuContext::~GpuContext() {
  std::lock_guard lock(index().mutex);
  for (const auto& [begin, allocation] : of_program_) index().by_begin.erase(begin);
}

Result<std::shared_ptr<Allocation>> GpuContext::allocate_shared(size_t bytes, size_t alignment) {
  const Result<GpuMemory> memory = gpu_->allocate(bytes, alignment, MemoryKind::kGpu);
  if (!memory.ok()) return memory.status();
  return std::make_shared<Allocation>(gpu_, memory.value(), bytes);
}

Result<GpuMemory> GpuContext::allocate(size_t bytes, size_t alignment, MemoryKind kind) {
  const Result<GpuMemory> memory = gpu_->allocate(bytes, alignment, kind);
  if (!memory.ok()) return memory.status();
  auto allocation = std::make_shared<Allocation>(gpu_, memory.value(), bytes);
  std::scoped_lock lock(mutex_, index().mutex);
  of_program_[allocation->begin()] = allocation;
  index().by_begin[allocation->begin()] = allocation;
  return memory.value();
}

Status GpuContext::free_memory(void* gpu_address) {
  std::shared_ptr<Allocation> last;  // is released after the locks
  std::scoped_lock lock(mutex_, index().mutex);
  const auto found = of_program_.find(reinterpret_cast<uintptr_t>(gpu_address));
  if (found == of_program_.end()) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "this address is none that doca_gpu_mem_alloc returned for this GPU and that is "
                  "not freed yet");
  }
  last = found->second;
  index().by_begin.erase(found->first);
  of_program_.erase(found);
  return {};
}

Result<void*> GpuContext::allocate_handle(size_t bytes) {
  Result<std::shared_ptr<Allocation>> memory = allocate_shared(bytes, 64);
  if (!memory.ok()) return memory.status();
  std::lock_guard lock(mutex_);
  handles_.push_back(memory.value());
  return memory.value()->memory().gpu;
}

}  // namespace warpnic
