// SPDX-License-Identifier: Apache-2.0
// A kernel that includes the device API and adds up what its threads put into memory.
#include <doca_gpunetio_dev_eth_rxq.cuh>

__global__ void add(const int* values, int* sum) {
  atomicAdd(sum, values[blockIdx.x * blockDim.x + threadIdx.x]);
}

/// The sum of 1 .. 128, by 128 threads; -1 on any error.
extern "C" int outside_sum(void) {
  int values[128];
  for (int i = 0; i < 128; ++i) values[i] = i + 1;
  int* device_values = nullptr;
  int* device_sum = nullptr;
  int sum = -1;
  if (cudaMalloc(&device_values, sizeof values) != cudaSuccess) return -1;
  if (cudaMalloc(&device_sum, sizeof sum) != cudaSuccess) return -1;
  if (cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaMemset(device_sum, 0, sizeof sum) != cudaSuccess) {
    return -1;
  }
  add<<<4, 32>>>(device_values, device_sum);
  if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) return -1;
  if (cudaMemcpy(&sum, device_sum, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess) return -1;
  cudaFree(device_values);
  cudaFree(device_sum);
  return sum;
}
