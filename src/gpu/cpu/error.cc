#include "error.h"

#include "cuda_runtime_api.h"

namespace warpnic::cpu {
namespace {

thread_local cudaError_t last_error = cudaSuccess;

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

#define WARPNIC_CPU_ERROR(name, text) {name, #name, text}
const ErrorText kErrors[] = {
    WARPNIC_CPU_ERROR(cudaSuccess, "no error"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidValue, "invalid argument"),
    WARPNIC_CPU_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    WARPNIC_CPU_ERROR(cudaErrorInitializationError, "initialization error"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    WARPNIC_CPU_ERROR(cudaErrorMissingConfiguration,
                      "__global__ function call is not configured"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    WARPNIC_CPU_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    WARPNIC_CPU_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    WARPNIC_CPU_ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    WARPNIC_CPU_ERROR(cudaErrorNotReady, "device not ready"),
    WARPNIC_CPU_ERROR(cudaErrorHostMemoryAlreadyRegistered,
                      "part or all of the requested memory range is already mapped"),
    WARPNIC_CPU_ERROR(cudaErrorHostMemoryNotRegistered,
                      "pointer does not correspond to a registered memory region"),
    WARPNIC_CPU_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    WARPNIC_CPU_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    WARPNIC_CPU_ERROR(cudaErrorNotSupported, "operation not supported"),
    WARPNIC_CPU_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef WARPNIC_CPU_ERROR

const ErrorText* find(cudaError_t error) {
  for (const ErrorText& entry : kErrors) {
    if (entry.error == error) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace

cudaError_t fail(cudaError_t error) {
  last_error = error;
  return error;
}

}  // namespace warpnic::cpu

using namespace warpnic::cpu;

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* entry = find(error);
  return entry != nullptr ? entry->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* entry = find(error);
  return entry != nullptr ? entry->text : "unrecognized error code";
}
