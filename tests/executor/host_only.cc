// A plain C++17 file may include the runtime's headers and call it.
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>

int host_only_cc() {
  int* memory = nullptr;
  if (cudaMalloc(&memory, 16) != cudaSuccess) {
    return 1;
  }
  const uint4 v = make_uint4(1, 2, 3, 4);
  const dim3 grid(3);
  return cudaFree(memory) == cudaSuccess && v.w == 4 && grid.y == 1 ? 0 : 2;
}
