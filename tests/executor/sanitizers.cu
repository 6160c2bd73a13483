// What the sanitizers find in kernels. Each test skips itself in a build without its sanitizer.
#include "kit.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPNIC_TEST_ADDRESS 1
#endif
#if __has_feature(thread_sanitizer)
#define WARPNIC_TEST_THREAD 1
#endif
#endif

__global__ void write_global(int* data, int index) { data[index] = 1; }
__global__ void write_static(int* out, int index) {
  __shared__ int before[16];
  __shared__ int values[16];
  before[threadIdx.x] = 0;
  values[index] = 1;
  *out = values[0] + before[1];
}
__global__ void write_dynamic(int* out, int index) {
  extern __shared__ int values[];
  values[index] = 1;
  *out = values[0];
}
__global__ void write_local(int* out, int index) {
  volatile int values[8];
  values[index] = 1;
  *out = values[0];
}
__device__ int table[10];
__global__ void write_variable(int index) { table[index] = 1; }

__global__ void exchange(int* out, int synchronised) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (synchronised) {
    __syncthreads();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[63 - threadIdx.x];
}
__global__ void exchange_in_warp(int* out) {
  __shared__ int values[32];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = values[31 - threadIdx.x];
}
/// Even lanes read what odd ones wrote and exit; those that stay write it anew behind a barrier.
__global__ void leave_early(int* out, int whole_block) {
  __shared__ int values[64];
  values[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x ^ 1];
  if (threadIdx.x % 2 == 0) {
    return;
  }
  if (whole_block) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  values[threadIdx.x] = 0;
}

#ifdef WARPNIC_TEST_ADDRESS

static void global_overrun_by_one_element() {
  int* data = nullptr;
  cudaMalloc(&data, 5 * sizeof(int));
  write_global<<<1, 1>>>(data, 5);
  cudaDeviceSynchronize();
}
TEST(AddressDeathTest, GlobalOverrunByOneElement) {
  EXPECT_DEATH(global_overrun_by_one_element(), "AddressSanitizer: heap-buffer-overflow(.|\n)*write_global");
}
static void static_shared_overrun() {
  Pinned<int> out;
  write_static<<<1, 16>>>(out.get(), 16);
  cudaDeviceSynchronize();
}
TEST(AddressDeathTest, StaticSharedOverrun) {
  EXPECT_DEATH(static_shared_overrun(), "AddressSanitizer: (.|\n)*write_static");
}
static void dynamic_shared_overrun() {
  Pinned<int> out;
  write_dynamic<<<1, 1, 8 * sizeof(int)>>>(out.get(), 8);
  cudaDeviceSynchronize();
}
TEST(AddressDeathTest, DynamicSharedOverrun) {
  EXPECT_DEATH(dynamic_shared_overrun(), "AddressSanitizer: (.|\n)*write_dynamic");
}
static void local_overrun() {
  Pinned<int> out;
  write_local<<<1, 1>>>(out.get(), 8);
  cudaDeviceSynchronize();
}
TEST(AddressDeathTest, LocalOverrun) {
  EXPECT_DEATH(local_overrun(), "AddressSanitizer: stack-buffer-overflow|index 8 out of bounds");
}
static void device_variable_overrun() {
  write_variable<<<1, 1>>>(10);
  cudaDeviceSynchronize();
}
TEST(AddressDeathTest, DeviceVariableOverrun) {
  EXPECT_DEATH(device_variable_overrun(), "AddressSanitizer: global-buffer-overflow|index 10 out of bounds");
}
static void use_after_free() {
  int* data = nullptr;
  cudaMalloc(&data, 64);
  cudaFree(data);
  write_global<<<1, 1>>>(data, 0);
  cudaDeviceSynchronize();
}
TEST(AddressDeathTest, UseAfterFree) {
  EXPECT_DEATH(use_after_free(), "AddressSanitizer: heap-use-after-free");
}
TEST(Address, InBoundsIsClean) {
  Pinned<int> out(64);
  write_static<<<4, 16>>>(out.get(), 15);
  write_dynamic<<<4, 1, 32>>>(out.get(), 7);
  write_local<<<1, 1>>>(out.get(), 7);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

#else

TEST(Address, Skipped) { GTEST_SKIP() << "built without AddressSanitizer"; }

#endif

TEST(Thread, SynchronisedKernelsAreClean) {
  Pinned<int> out(128);
  for (int i = 0; i < 5; i++) {
    exchange<<<2, 64>>>(out.get(), 1);
    exchange_in_warp<<<1, 32>>>(out.get());
    leave_early<<<1, 64>>>(out.get() + 64, 1);
    leave_early<<<1, 64>>>(out.get() + 64, 0);
  }
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(31, out[0]);
}

#ifdef WARPNIC_TEST_THREAD

static void missing_barrier_is_reported() {
  Pinned<int> out(64);
  exchange<<<1, 64>>>(out.get(), 0);
  cudaDeviceSynchronize();
  exit(66);
}
TEST(ThreadDeathTest, MissingBarrierIsReported) {
  EXPECT_DEATH(missing_barrier_is_reported(), "ThreadSanitizer: data race(.|\n)*exchange");
}

#else

TEST(Thread, Skipped) { GTEST_SKIP() << "built without ThreadSanitizer"; }

#endif
