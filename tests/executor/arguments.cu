// The way of arguments into a kernel: every size class, own copies for every CUDA thread, symbols,
// and two files with static kernels of one name (the other is language.cu).
#include <vector>

#include "kit.h"

namespace {

struct Large {
  int a[5];
  float f;
};
struct Three {
  char c[3];
};
struct TwoFloats {
  float a, b;
};
struct alignas(16) Aligned {
  long x, y;
};
struct alignas(64) Line {
  unsigned long long words[8];
};

}  // namespace

__device__ int x;
__device__ int y[2];
__constant__ float factor = 2.5f;
__device__ int preset = 41;

__global__ void all_sizes(int* good, float f, Large large, Three three, TwoFloats two, double d,
                          short s, bool b, Aligned aligned, unsigned char c, long long ll,
                          Line line) {
  if (threadIdx.x == 3) {
    large.a[0] = 99;
    three.c[0] = 99;
  }
  __syncthreads();
  const int first = threadIdx.x == 3 ? 99 : 1;
  bool ok = f == 1.5f && large.a[0] == first && large.a[4] == 5 && large.f == 2.5f;
  ok = ok && three.c[0] == first && three.c[2] == 3 && two.a == 7 && two.b == 8 && d == 9.0;
  ok = ok && s == -3 && b && aligned.x == 12 && aligned.y == 13 && c == 250;
  ok = ok && ll == -1234567890123ll && line.words[7] == 77 && factor == 2.5f;
  ok = ok && (reinterpret_cast<size_t>(&aligned) & 15) == 0;
  ok = ok && (reinterpret_cast<size_t>(&line) & 63) == 0;
  if (ok) {
    atomicAdd(good, 1);
  }
  atomicAdd(&x, 1);
  if (threadIdx.x == 0) {
    y[1] = 5;
    preset++;
  }
}

static __global__ void same_name(int* out) { *out = 1; }

int run_same_name_of_language();

TEST(Arguments, EverySizeArrivesAndEveryThreadHasItsOwnCopy) {
  Pinned<int> good;
  Line line{};
  line.words[7] = 77;
  all_sizes<<<1, 32>>>(good.get(), 1.5f, Large{{1, 2, 3, 4, 5}, 2.5f}, Three{{1, 2, 3}},
                       TwoFloats{7, 8}, 9.0, -3, true, Aligned{12, 13}, 250, -1234567890123ll,
                       line);
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(32, *good);
  int value = 0;
  EXPECT_CUDA(cudaMemcpyFromSymbol(&value, x, 4));
  EXPECT_EQ(32, value);
  EXPECT_CUDA(cudaMemcpyFromSymbol(&value, y, 4, 4));
  EXPECT_EQ(5, value);
  EXPECT_CUDA(cudaMemcpyFromSymbol(&value, preset, 4));
  EXPECT_EQ(42, value);
}

TEST(Arguments, SymbolsHaveAddressAndSizeAndAreChecked) {
  void* address = nullptr;
  size_t bytes = 0;
  EXPECT_CUDA(cudaGetSymbolAddress(&address, y));
  EXPECT_CUDA(cudaGetSymbolSize(&bytes, y));
  EXPECT_EQ(8u, bytes);
  const int values[2] = {10, 11};
  EXPECT_CUDA(cudaMemcpyToSymbol(y, values, sizeof values));
  EXPECT_EQ(11, static_cast<int*>(address)[1]);
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpyToSymbol(y, values, sizeof values, 4));
  int unknown = 0;
  EXPECT_EQ(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(unknown, values, 4));
  EXPECT_EQ(cudaErrorInvalidSymbol, cudaGetLastError());
  EXPECT_EQ(cudaSuccess, cudaGetLastError());
}

TEST(Arguments, StaticKernelsOfOneNameInTwoFilesAreTwoKernels) {
  Pinned<int> out;
  same_name<<<1, 1>>>(out.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(1, *out);
  EXPECT_EQ(2, run_same_name_of_language());
}

TEST(Arguments, TypedLaunchKernelPassesArguments) {
  Pinned<int> out;
  int* pointer = out.get();
  void* arguments[] = {&pointer};
  EXPECT_CUDA(cudaLaunchKernel(same_name, dim3(1), dim3(1), arguments, 0, nullptr));
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(1, *out);
}

TEST(Arguments, WrongLaunchesAreErrors) {
  int* none = nullptr;
  same_name<<<1, 1025>>>(none);
  EXPECT_EQ(cudaErrorInvalidConfiguration, cudaGetLastError());
  same_name<<<0, 1>>>(none);
  EXPECT_EQ(cudaErrorInvalidConfiguration, cudaGetLastError());
  same_name<<<1, 1, 100 * 1024>>>(none);
  EXPECT_EQ(cudaErrorInvalidValue, cudaGetLastError());
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaFuncSetAttribute(same_name, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 300 * 1024));
  EXPECT_CUDA(cudaFuncSetAttribute(same_name, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   100 * 1024));
  Pinned<int> out;
  same_name<<<1, 1, 100 * 1024>>>(out.get());
  EXPECT_CUDA(cudaGetLastError() == cudaErrorInvalidValue ? cudaSuccess : cudaGetLastError());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(1, *out);
}
