// A kernel and a device variable that live in a library. Used by libraries.cc, linked and opened.
#include <cuda_runtime.h>

__device__ int calls;

static __global__ void count(int* out) {
  __shared__ int word;
  extern __shared__ int dynamic[];
  word = atomicAdd(&calls, 1) + 1;
  dynamic[0] = word;
  *out = dynamic[0];
}

extern "C" int plugin_run() {
  int* out = nullptr;
  if (cudaMallocHost(&out, sizeof *out) != cudaSuccess) {
    return -1;
  }
  *out = -2;
  count<<<1, 1, 16>>>(out);
  cudaDeviceSynchronize();
  const int result = cudaGetLastError() == cudaSuccess ? *out : -3;
  cudaFreeHost(out);
  return result;
}
