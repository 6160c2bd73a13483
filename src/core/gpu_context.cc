// SPDX-License-Identifier: Apache-2.0
#include "core/gpu_context.h"

#include <algorithm>

namespace warpnic {
namespace {

/// Where memory maps look up what they are given: programs' allocations by their first address.
struct Index {
  std::mutex mutex;
  std::map<uintptr_t, std::weak_ptr<Allocation>> by_begin;
};
Index& index() {
  static Index* const instance = new Index;  // never destroyed: programs free while they exit
  return *instance;
}

}  // namespace

Result<std::shared_ptr<Allocation>> Allocation::make(std::shared_ptr<Gpu> gpu, size_t bytes,
                                                     size_t alignment, MemoryKind kind) {
  // The owner first: what the GPU gives is never without one.
  auto allocation = std::make_shared<Allocation>(gpu);
  const Result<GpuMemory> memory = gpu->allocate(bytes, alignment, kind);
  if (!memory.ok()) return memory.status();
  allocation->memory_ = memory.value();
  allocation->bytes_ = bytes;
  return allocation;
}

Allocation::~Allocation() {
  if (memory_.gpu == nullptr) return;
  {
    std::lock_guard lock(index().mutex);
    index().by_begin.erase(begin());
  }
  // Only now may somebody else get the address.
  (void)gpu_->free(memory_.gpu);
}

std::shared_ptr<Allocation> find_allocation(const void* address) {
  const auto wanted = reinterpret_cast<uintptr_t>(address);
  std::shared_ptr<Allocation> found;  // outlives the lock, which its destructor may take
  std::lock_guard lock(index().mutex);
  const auto after = index().by_begin.upper_bound(wanted);
  if (after == index().by_begin.begin()) return nullptr;
  found = std::prev(after)->second.lock();
  if (!found || wanted - found->begin() >= found->bytes()) return nullptr;
  return found;
}

void keep_for_ever(std::shared_ptr<Allocation> memory) noexcept {
  static auto* const kept = new std::vector<std::shared_ptr<Allocation>>;
  static auto* const mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  kept->push_back(std::move(memory));
}

Result<std::shared_ptr<Allocation>> GpuContext::allocate_shared(size_t bytes, size_t alignment) {
  return Allocation::make(gpu_, bytes, alignment, MemoryKind::kGpu);
}

Result<GpuMemory> GpuContext::allocate(size_t bytes, size_t alignment, MemoryKind kind) {
  const Result<std::shared_ptr<Allocation>> made =
      Allocation::make(gpu_, bytes, alignment, kind);  // outlives the locks
  if (!made.ok()) return made.status();
  const std::shared_ptr<Allocation>& allocation = made.value();
  std::scoped_lock lock(mutex_, index().mutex);
  index().by_begin[allocation->begin()] = allocation;
  of_program_[allocation->begin()] = allocation;
  return allocation->memory();
}

Status GpuContext::free_memory(void* gpu_address) {
  std::shared_ptr<Allocation> last;  // is released after the lock
  std::lock_guard lock(mutex_);
  const auto found = of_program_.find(reinterpret_cast<uintptr_t>(gpu_address));
  if (found == of_program_.end()) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "this address is none that doca_gpu_mem_alloc returned for this GPU and that is "
                  "not freed yet");
  }
  last = std::move(found->second);
  of_program_.erase(found);
  return {};
}

Result<void*> GpuContext::allocate_handle(size_t bytes) {
  const Result<std::shared_ptr<Allocation>> memory = allocate_shared(bytes, 64);
  if (!memory.ok()) return memory.status();
  std::lock_guard lock(mutex_);
  handles_.push_back(memory.value());
  return memory.value()->memory().gpu;
}

void GpuContext::free_unseen_handle(void* handle) noexcept {
  std::lock_guard lock(mutex_);
  handles_.erase(std::remove_if(handles_.begin(), handles_.end(),
                                [handle](const auto& one) { return one->memory().gpu == handle; }),
                 handles_.end());
}

}  // namespace warpnic
