/* A plain C11 file may include the runtime's headers and call it. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>

int host_only_c(void);

int host_only_c(void) {
  int count = 0;
  struct uint3 v = {1, 2, 3};
  dim3 grid = {1, 1, 1};
  if (cudaGetDeviceCount(&count) != cudaSuccess || count != 1 || v.z + grid.x != 4) {
    return 1;
  }
  void* memory = NULL;
  if (cudaMalloc(&memory, 16) != cudaSuccess || cudaFree(memory) != cudaSuccess) {
    return 2;
  }
  warpnic_cpu_yield();
  return warpnic_cpu_lane() == 0 && warpnic_cpu_globaltimer() != 0 ? 0 : 3;
}
