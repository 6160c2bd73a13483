// SPDX-License-Identifier: Apache-2.0
// What doca_gpu stands for: a GPU, the memory a program has on it, and the pages of handles.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/gpu.h"

namespace warpnic {

/// A piece of memory that is freed when its last user is gone.
class Allocation {
 public:
  static Result<std::shared_ptr<Allocation>> make(std::shared_ptr<Gpu> gpu, size_t bytes,
                                                  size_t alignment, MemoryKind kind);
  explicit Allocation(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}
  ~Allocation();
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  const GpuMemory& memory() const { return memory_; }
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(memory_.gpu); }
  size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<Gpu> gpu_;
  GpuMemory memory_;
  size_t bytes_ = 0;
};

/// Thread-safe.
class GpuContext {
 public:
  explicit GpuContext(std::shared_ptr<Gpu> gpu) : gpu_(std::move(gpu)) {}

  const std::shared_ptr<Gpu>& gpu() const { return gpu_; }

  /// Memory for the program, freed by free_memory or with the context.
  Result<GpuMemory> allocate(size_t bytes, size_t alignment, MemoryKind kind);
  /// Frees it once no memory map uses it. INVALID_VALUE: not an address that allocate returned.
  Status free_memory(void* gpu_address);

  /// Memory for a part of the library.
  Result<std::shared_ptr<Allocation>> allocate_shared(size_t bytes, size_t alignment);

  /// Memory for a handle that kernels hold. Stays readable as long as the context, because a kernel
  /// may call late.
  Result<void*> allocate_handle(size_t bytes);
  /// Gives back a handle that no kernel has seen.
  void free_unseen_handle(void* handle) noexcept;

  /// Queues that run on it.
  std::atomic<uint32_t> running{0};

 private:
  std::shared_ptr<Gpu> gpu_;
  std::mutex mutex_;
  std::map<uintptr_t, std::shared_ptr<Allocation>> of_program_;
  std::vector<std::shared_ptr<Allocation>> handles_;
};

/// The allocation of any program's doca_gpu_mem_alloc that holds `address`, also one that was freed
/// and is still in use; null if there is none.
std::shared_ptr<Allocation> find_allocation(const void* address);

/// For memory that a NIC may still write to, because it did not answer: it is never freed.
void keep_for_ever(std::shared_ptr<Allocation> memory) noexcept;

}  // namespace warpnic
