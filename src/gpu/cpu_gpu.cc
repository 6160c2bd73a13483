// SPDX-License-Identifier: Apache-2.0
// The CPU executor as a GPU: kernels, host and NIC share one address space.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_set>

#include "core/pci_address.h"
#include "gpu/gpu.h"
#include "warpnic/port/order.h"

namespace warpnic {
namespace {

/// A cache line: what kernels and NIC write side by side never shares one with something else.
constexpr size_t kLeastAlignment = 64;
/// More than any host has: a mistake, which allocators of sanitizers would answer by aborting.
constexpr size_t kMostBytes = size_t{1} << 40;

std::string executor_bus_id() {
  char text[32] = "";
  cudaDeviceGetPCIBusId(text, sizeof text, 0);
  return text;
}

class CpuGpu final : public Gpu {
 public:
  std::string name() const override {
    cudaDeviceProp properties;
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "CPU";
  }
  std::string bus_id() const override { return executor_bus_id(); }

  // Not by cudaMalloc: cudaFree would wait for kernels that never end. The exact size is asked
  // for, so that AddressSanitizer sees the first byte behind it.
  Result<GpuMemory> allocate(size_t bytes, size_t alignment, MemoryKind kind) override {
    if (bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
      return Status(DOCA_ERROR_INVALID_VALUE, "allocation of " + std::to_string(bytes) +
                                                  " bytes aligned to " + std::to_string(alignment) +
                                                  ": size must not be 0, alignment a power of two");
    }
    void* address = nullptr;
    if (std::max(bytes, alignment) > kMostBytes ||
        posix_memalign(&address, std::max(alignment, kLeastAlignment), bytes) != 0) {
      return Status(DOCA_ERROR_NO_MEMORY, "no memory for " + std::to_string(bytes) + " bytes");
    }
    std::unique_ptr<void, decltype(&std::free)> memory(address, &std::free);
    std::memset(address, 0, bytes);
    std::lock_guard lock(mutex_);
    allocated_.insert(address);
    (void)memory.release();
    return GpuMemory{address, kind == MemoryKind::kGpu ? nullptr : address};
  }

  Status free(void* gpu_address) override {
    {
      std::lock_guard lock(mutex_);
      if (allocated_.erase(gpu_address) == 0) {
        return Status(DOCA_ERROR_INVALID_VALUE, "no allocation begins at this address");
      }
    }
    std::free(gpu_address);
    return {};
  }

  Status write(void* gpu_to, const void* from, size_t bytes) override {
    std::memcpy(gpu_to, from, bytes);
    return {};
  }
  Status read(void* to, const void* gpu_from, size_t bytes) override {
    std::memcpy(to, gpu_from, bytes);
    return {};
  }
  void store_word(uint32_t* gpu_word, uint32_t value) override { store_and_fence(gpu_word, value); }
  uint32_t load_word(const uint32_t* gpu_word) override { return load_and_fence(gpu_word); }
  uint64_t load_word(const uint64_t* gpu_word) override { return load_and_fence(gpu_word); }
  bool cpu_can_address() const override { return true; }

 private:
  std::mutex mutex_;
  std::unordered_set<void*> allocated_;
};

}  // namespace

std::vector<std::string> gpu_bus_ids() { return {executor_bus_id()}; }

Result<std::shared_ptr<Gpu>> open_gpu(const std::string& bus_id) {
  const Result<std::string> wanted = full_pci_address(bus_id);
  if (!wanted.ok()) return wanted.status();
  const Result<std::string> executor = full_pci_address(executor_bus_id());
  if (!executor.ok() || wanted.value() != executor.value()) {
    return Status(DOCA_ERROR_NOT_FOUND, "there is no GPU " + wanted.value() +
                                            "; this build has the CPU executor, " +
                                            executor_bus_id());
  }
  return std::shared_ptr<Gpu>(std::make_shared<CpuGpu>());
}

}  // namespace warpnic
