// Images, kernels and launches: what clang's host pass calls. The old launch interface
// (cudaConfigureCall, cudaSetupArgument, cudaLaunch) is used since it passes argument sizes.
#include <stdio.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"
#include "error.h"
#include "grid.h"
#include "kernel.h"
#include "stream.h"

namespace warpnic::cpu {
namespace {

/// The host half of one source file, between its registration and its unloading.
struct Module {
  const Image* image = nullptr;
  std::vector<const void*> hosts;  ///< stubs and variables that it registered
};

struct Registry {
  std::mutex mutex;
  std::vector<const Image*> images;
  std::map<const void*, std::shared_ptr<Kernel>> kernels;
  std::map<const void*, const Symbol*> variables;
};

Registry& registry() {
  static auto* value = new Registry;  // used by constructors and destructors of other files
  return *value;
}

const Symbol* find_symbol(const Image* image, const char* name) {
  for (int64_t i = 0; image != nullptr && i < image->symbol_count; i++) {
    if (strcmp(image->symbols[i].name, name) == 0) {
      return &image->symbols[i];
    }
  }
  return nullptr;
}

thread_local std::vector<Launch> configured;
thread_local std::vector<cudaStream_t> configured_streams;

cudaError_t check(const Launch& launch) {
  const dim3& b = launch.block;
  const dim3& g = launch.grid;
  const uint64_t threads = uint64_t{b.x} * b.y * b.z;
  if (b.x > 1024 || b.y > 1024 || b.z > 64 || threads == 0 || threads > 1024) {
    return cudaErrorInvalidConfiguration;
  }
  if (g.x == 0 || g.y == 0 || g.z == 0 || g.x > 0x7fffffffu || g.y > 65535 || g.z > 65535 ||
      uint64_t{g.x} * g.y * g.z > UINT32_MAX) {
    return cudaErrorInvalidConfiguration;
  }
  const auto static_bytes = static_cast<size_t>(launch.kernel->image->static_bytes);
  if (launch.dynamic_bytes > launch.kernel->max_dynamic_bytes ||
      launch.dynamic_bytes + static_bytes > kMaxSharedBytes) {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

}  // namespace

std::shared_ptr<Kernel> find_kernel(const void* stub) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto found = r.kernels.find(stub);
  return found != r.kernels.end() ? found->second : nullptr;
}

const Symbol* find_variable(const void* host) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto found = r.variables.find(host);
  return found != r.variables.end() ? found->second : nullptr;
}

}  // namespace warpnic::cpu

using namespace warpnic::cpu;

#define WARPNIC_CPU_EXPORT extern "C" __attribute__((visibility("default")))

WARPNIC_CPU_EXPORT void warpnic_cpu_register_image(const Image* image) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.images.push_back(image);
}

WARPNIC_CPU_EXPORT void warpnic_cpu_unregister_image(const Image* image) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.images.erase(std::remove(r.images.begin(), r.images.end(), image), r.images.end());
}

// The "fat binary" is the text "warpnic:<identity>\n" that warpnic-simtcc put there. One object may
// be part of two libraries: the image registered last belongs to the library now being loaded.
WARPNIC_CPU_EXPORT void** __cudaRegisterFatBinary(const void* wrapper) {
  struct Wrapper {
    int magic;
    int version;
    const char* data;
    void* unused;
  };
  static constexpr char kMark[] = "warpnic:";
  auto* module = new Module;
  const char* text = static_cast<const Wrapper*>(wrapper)->data;
  if (strncmp(text, kMark, sizeof kMark - 1) == 0) {
    const std::string identity(text + sizeof kMark - 1, strcspn(text + sizeof kMark - 1, "\n"));
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    for (const Image* image : r.images) {
      if (identity == image->identity) {
        module->image = image;
      }
    }
  }
  if (module->image == nullptr) {
    fprintf(stderr, "warpnic cpu executor: a CUDA object was not made by warpnic-simtcc\n");
  }
  return reinterpret_cast<void**>(module);
}

WARPNIC_CPU_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

WARPNIC_CPU_EXPORT void __cudaUnregisterFatBinary(void** handle) {
  auto* module = reinterpret_cast<Module*>(handle);
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  for (const void* host : module->hosts) {
    r.kernels.erase(host);
    r.variables.erase(host);
  }
  delete module;
}

WARPNIC_CPU_EXPORT int __cudaRegisterFunction(void** handle, const char* stub, char*,
                                              const char* name, int, void*, void*, void*, void*,
                                              int*) {
  auto* module = reinterpret_cast<Module*>(handle);
  const Symbol* symbol = find_symbol(module->image, name);
  auto kernel = std::make_shared<Kernel>();
  kernel->name = name;
  kernel->image = module->image;
  kernel->body = symbol != nullptr ? symbol->address : nullptr;
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  module->hosts.push_back(stub);
  r.kernels[stub] = std::move(kernel);
  return 0;
}

WARPNIC_CPU_EXPORT void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int,
                                          size_t, int, int) {
  auto* module = reinterpret_cast<Module*>(handle);
  const Symbol* symbol = find_symbol(module->image, name);
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  if (symbol != nullptr) {
    module->hosts.push_back(host);
    r.variables[host] = symbol;
  }
}

WARPNIC_CPU_EXPORT int cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes,
                                         cudaStream_t stream) {
  Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_bytes = shared_bytes;
  configured.push_back(std::move(launch));
  configured_streams.push_back(stream);
  return 0;
}

WARPNIC_CPU_EXPORT cudaError_t cudaSetupArgument(const void* argument, size_t bytes, size_t) {
  if (configured.empty()) {
    return fail(cudaErrorMissingConfiguration);
  }
  constexpr size_t kAlignment = 64;  // as much as any argument type asks for
  Arguments& arguments = configured.back().arguments;
  const size_t offset = (arguments.bytes.size() + kAlignment - 1) & ~(kAlignment - 1);
  arguments.bytes.resize(offset + bytes);
  memcpy(arguments.bytes.data() + offset, argument, bytes);
  arguments.places.push_back({offset, bytes});
  return cudaSuccess;
}

WARPNIC_CPU_EXPORT cudaError_t cudaLaunch(const void* stub) {
  if (configured.empty()) {
    return fail(cudaErrorMissingConfiguration);
  }
  auto launch = std::make_shared<Launch>(std::move(configured.back()));
  const auto stream = find_stream(configured_streams.back());
  configured.pop_back();
  configured_streams.pop_back();
  launch->kernel = find_kernel(stub);
  if (!launch->kernel || launch->kernel->body == nullptr) {
    return fail(cudaErrorInvalidDeviceFunction);
  }
  if (!stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (const cudaError_t error = check(*launch); error != cudaSuccess) {
    return fail(error);
  }
  submit(stream, [launch] { run_grid(*launch); });
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  if (arguments != nullptr) {
    return fail(cudaErrorNotSupported);
  }
  cudaConfigureCall(grid, block, shared_bytes, stream);
  return cudaLaunch(kernel);
}

cudaError_t cudaFuncSetAttribute(const void* stub, enum cudaFuncAttribute attribute, int value) {
  const auto kernel = find_kernel(stub);
  if (!kernel || kernel->image == nullptr) {
    return fail(cudaErrorInvalidDeviceFunction);
  }
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
    return value >= -1 && value <= 100 ? cudaSuccess : fail(cudaErrorInvalidValue);
  }
  const auto most = static_cast<int64_t>(kMaxSharedBytes) - kernel->image->static_bytes;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 || value > most) {
    return fail(cudaErrorInvalidValue);
  }
  kernel->max_dynamic_bytes = static_cast<size_t>(value);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* stub) {
  const auto kernel = find_kernel(stub);
  if (attributes == nullptr || !kernel || kernel->image == nullptr) {
    return fail(attributes == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDeviceFunction);
  }
  *attributes = cudaFuncAttributes{};
  attributes->sharedSizeBytes = static_cast<size_t>(kernel->image->static_bytes);
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 90;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(kernel->max_dynamic_bytes);
  return cudaSuccess;
}

cudaError_t cudaFuncSetCacheConfig(const void* stub, enum cudaFuncCache) {
  return find_kernel(stub) ? cudaSuccess : fail(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* stub,
                                                          int block_size, size_t shared_bytes) {
  const auto kernel = find_kernel(stub);
  if (!kernel || kernel->image == nullptr) {
    return fail(cudaErrorInvalidDeviceFunction);
  }
  if (blocks == nullptr || block_size <= 0) {
    return fail(cudaErrorInvalidValue);
  }
  const size_t shared = shared_bytes + static_cast<size_t>(kernel->image->static_bytes);
  const int by_threads = 2048 / block_size;
  const int by_shared = shared != 0 ? static_cast<int>((228 * 1024) / (shared + 1024)) : 32;
  *blocks = block_size > 1024 || shared > kMaxSharedBytes
                ? 0
                : std::min({by_threads, by_shared, 32});
  return cudaSuccess;
}
