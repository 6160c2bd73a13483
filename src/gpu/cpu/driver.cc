// The few driver API calls that existing programs use, in terms of the runtime's.
#include "cuda.h"

#include <string.h>

#include "cuda_runtime_api.h"
#include "driver_types.h"

namespace {

// The driver's numbers are the runtime's for every code that the executor returns.
CUresult result(cudaError_t error) { return static_cast<CUresult>(error); }

}  // namespace

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult cuDriverGetVersion(int* version) { return result(cudaDriverGetVersion(version)); }

CUresult cuDeviceGetCount(int* count) { return result(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (device == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (ordinal != 0) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return result(cudaDeviceGetByPCIBusId(device, text));
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (name == nullptr || length <= 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (device != 0) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  strncpy(name, WARPNIC_CPU_EXECUTOR_NAME, static_cast<size_t>(length));
  name[length - 1] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  *text = error == CUDA_SUCCESS ? "CUDA_SUCCESS"
                                : cudaGetErrorName(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return result(cudaEventCreateWithFlags(event, flags));
}

CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return result(cudaEventRecord(event, stream));
}

CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }

CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }

CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  return result(cudaEventElapsedTime(milliseconds, begin, end));
}
