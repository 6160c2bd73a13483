// SPDX-License-Identifier: Apache-2.0
// What runs kernels, as the host library sees it: memory that kernels and NICs reach, and a name.
// gpu/cpu is the CPU executor; gpu/cuda, a CUDA device, comes later. Kernels are launched by the
// user's program through CUDA's own calls, never through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/status.h"

namespace warpnic {

/// Where memory lies. Values are those of enum doca_gpu_mem_type.
enum class MemoryKind {
  kGpu = 0,     ///< on the GPU; the CPU has no address for it
  kGpuCpu = 1,  ///< on the GPU, mapped into the CPU
  kCpuGpu = 2,  ///< in host memory, mapped into the GPU
};

struct GpuMemory {
  void* gpu = nullptr;  ///< address in kernels
  void* cpu = nullptr;  ///< address in host code; null for kGpu
};

/// One GPU. Thread-safe.
class Gpu {
 public:
  virtual ~Gpu() = default;

  virtual std::string name() const = 0;    ///< for people, e.g. "warpnic CPU executor"
  virtual std::string bus_id() const = 0;  ///< "0000:ff:1f.0"

  /// Zeroed memory; alignment is a power of two. NO_MEMORY, INVALID_VALUE.
  virtual Result<GpuMemory> allocate(size_t bytes, size_t alignment, MemoryKind kind) = 0;
  /// Frees what allocate returned, by its GPU address. INVALID_VALUE for any other address.
  virtual Status free(void* gpu_address) = 0;

  /// Copy between host memory and memory of any kind, without synchronising with kernels.
  virtual Status write(void* gpu_to, const void* from, size_t bytes) = 0;
  virtual Status read(void* to, const void* gpu_from, size_t bytes) = 0;

  /// Words that kernels change while the host looks on: `closed` (stored with a full fence) and
  /// `inside`, `consumer`, `fault` (loaded with a full fence).
  virtual void store_word(uint32_t* gpu_word, uint32_t value) = 0;
  virtual uint32_t load_word(const uint32_t* gpu_word) = 0;
  virtual uint64_t load_word(const uint64_t* gpu_word) = 0;

  /// True if a CPU thread can use GPU addresses as they are: the virtual NIC's engine then runs
  /// on a CPU thread.
  virtual bool cpu_can_address() const = 0;
};

/// All GPUs this build can use, by bus id. The CPU executor is always among them in preset cpu.
std::vector<std::string> gpu_bus_ids();

/// The GPU with that bus id ("0000:ff:1f.0" or "ff:1f.0", any case). NOT_FOUND names those known.
Result<std::shared_ptr<Gpu>> open_gpu(const std::string& bus_id);

}  // namespace warpnic
