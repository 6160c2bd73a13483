// The one device that the executor offers, and what it says of itself.
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cuda_runtime_api.h"
#include "error.h"
#include "kernel.h"
#include "stream.h"

using namespace warpnic::cpu;

namespace {

// Blocks become OS threads, so there is no hardware limit: programs that fill "all" processors get
// a moderate number.
constexpr int kMultiprocessors = 16;
constexpr int kThreadsPerMultiprocessor = 2048;
constexpr int kClockKilohertz = 1000000;
constexpr int kCudaVersion = CUDART_VERSION;
constexpr int kPciBus = 0xff;
constexpr int kPciDevice = 0x1f;

size_t memory_bytes(int name) {
  const long pages = sysconf(name);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 ? static_cast<size_t>(pages) * static_cast<size_t>(page_bytes) : 0;
}

size_t stack_limit = 128 * 1024;
unsigned device_flags = 0;

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  device_flags = flags;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  if (flags == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  *flags = device_flags | cudaDeviceMapHost;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return cudaSetDevice(device);
}

cudaError_t cudaDeviceReset(void) {
  synchronise_device();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (device == nullptr || text == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  const char* with_domain = WARPNIC_CPU_EXECUTOR_PCI_BUS_ID;
  const char* without_domain = strchr(with_domain, ':') + 1;
  if (strcasecmp(text, with_domain) != 0 && strcasecmp(text, without_domain) != 0) {
    return fail(cudaErrorInvalidDevice);
  }
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  const int needed = static_cast<int>(sizeof WARPNIC_CPU_EXECUTOR_PCI_BUS_ID);
  if (text == nullptr || length < needed) {
    return fail(cudaErrorInvalidValue);
  }
  if (device != 0) {
    return fail(cudaErrorInvalidDevice);
  }
  memcpy(text, WARPNIC_CPU_EXECUTOR_PCI_BUS_ID, static_cast<size_t>(needed));
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* p, int device) {
  if (p == nullptr || device != 0) {
    return fail(p == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
  }
  *p = cudaDeviceProp{};
  snprintf(p->name, sizeof p->name, "%s", WARPNIC_CPU_EXECUTOR_NAME);
  p->totalGlobalMem = memory_bytes(_SC_PHYS_PAGES);
  p->sharedMemPerBlock = kDefaultSharedBytes;
  p->sharedMemPerBlockOptin = kMaxSharedBytes;
  p->sharedMemPerMultiprocessor = kMaxSharedBytes + 1024;
  p->regsPerBlock = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->minor = 0;
  p->clockRate = kClockKilohertz;
  p->multiProcessorCount = kMultiprocessors;
  p->canMapHostMemory = 1;
  p->concurrentKernels = 1;
  p->pciBusID = kPciBus;
  p->pciDeviceID = kPciDevice;
  p->asyncEngineCount = 1;
  p->unifiedAddressing = 1;
  p->maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  p->streamPrioritiesSupported = 1;
  p->managedMemory = 1;
  p->cooperativeLaunch = 1;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device) {
  if (value == nullptr || device != 0) {
    return fail(value == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
  }
  struct Row {
    cudaDeviceAttr attribute;
    int value;
  };
  static constexpr Row kRows[] = {
      {cudaDevAttrMaxThreadsPerBlock, 1024},
      {cudaDevAttrMaxBlockDimX, 1024},
      {cudaDevAttrMaxBlockDimY, 1024},
      {cudaDevAttrMaxBlockDimZ, 64},
      {cudaDevAttrMaxGridDimX, 0x7fffffff},
      {cudaDevAttrMaxGridDimY, 65535},
      {cudaDevAttrMaxGridDimZ, 65535},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(kDefaultSharedBytes)},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(kMaxSharedBytes)},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(kMaxSharedBytes) + 1024},
      {cudaDevAttrTotalConstantMemory, 65536},
      {cudaDevAttrWarpSize, 32},
      {cudaDevAttrMaxRegistersPerBlock, 65536},
      {cudaDevAttrClockRate, kClockKilohertz},
      {cudaDevAttrMultiProcessorCount, kMultiprocessors},
      {cudaDevAttrIntegrated, 0},
      {cudaDevAttrCanMapHostMemory, 1},
      {cudaDevAttrConcurrentKernels, 1},
      {cudaDevAttrPciBusId, kPciBus},
      {cudaDevAttrPciDeviceId, kPciDevice},
      {cudaDevAttrPciDomainId, 0},
      {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerMultiprocessor},
      {cudaDevAttrAsyncEngineCount, 1},
      {cudaDevAttrUnifiedAddressing, 1},
      {cudaDevAttrComputeCapabilityMajor, 9},
      {cudaDevAttrComputeCapabilityMinor, 0},
      {cudaDevAttrStreamPrioritiesSupported, 1},
      {cudaDevAttrManagedMemory, 1},
      {cudaDevAttrPageableMemoryAccess, 1},
      {cudaDevAttrConcurrentManagedAccess, 1},
      {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
      {cudaDevAttrCooperativeLaunch, 1},
      {cudaDevAttrGPUDirectRDMASupported, 0},
      {cudaDevAttrMemoryPoolsSupported, 1},
  };
  for (const Row& row : kRows) {
    if (row.attribute == attribute) {
      *value = row.value;
      return cudaSuccess;
    }
  }
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) {
    *least = 0;
  }
  if (greatest != nullptr) {
    *greatest = -1;
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
  if (limit == cudaLimitStackSize) {
    stack_limit = value;  // stacks are sized by WARPNIC_CPU_STACK_KB
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit) {
  if (value == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  *value = limit == cudaLimitStackSize ? stack_limit : size_t{8} << 20;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (can == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  if (device != 0 || peer != 0) {
    return fail(cudaErrorInvalidDevice);
  }
  *can = 0;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  *version = kCudaVersion;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (free_bytes != nullptr) {
    *free_bytes = memory_bytes(_SC_AVPHYS_PAGES);
  }
  if (total_bytes != nullptr) {
    *total_bytes = memory_bytes(_SC_PHYS_PAGES);
  }
  return cudaSuccess;
}
