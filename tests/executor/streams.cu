// Streams, events, the default stream, memory and the device's description.
#include <cuda.h>

#include <thread>
#include <vector>

#include "kit.h"

__global__ void wait_for(volatile int* word, int value) {
  while (*word != value) {
  }
}
__global__ void set(volatile int* word, int value) { *word = value; }
__global__ void append(int* log, int* count, int value) { log[(*count)++] = value; }

TEST(Streams, OneStreamKeepsOrder) {
  Pinned<int> log(100);
  Pinned<int> count;
  TestStream stream;
  for (int i = 0; i < 100; i++) {
    append<<<1, 1, 0, stream>>>(log.get(), count.get(), i);
  }
  stream.wait();
  for (int i = 0; i < 100; i++) {
    EXPECT_EQ(i, log[i]);
  }
}

TEST(Streams, EventMakesAnotherStreamWait) {
  Pinned<int> gate;
  Pinned<int> log(2);
  Pinned<int> count;
  TestStream first, second;
  cudaEvent_t event;
  EXPECT_CUDA(cudaEventCreate(&event));
  EXPECT_CUDA(cudaEventQuery(event));  // never recorded: complete
  wait_for<<<1, 1, 0, first>>>(gate.get(), 1);
  append<<<1, 1, 0, first>>>(log.get(), count.get(), 1);
  EXPECT_CUDA(cudaEventRecord(event, first));
  EXPECT_CUDA(cudaStreamWaitEvent(second, event));
  append<<<1, 1, 0, second>>>(log.get(), count.get(), 2);
  EXPECT_EQ(cudaErrorNotReady, cudaEventQuery(event));
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(second));
  EXPECT_CUDA(cudaGetLastError());
  *reinterpret_cast<volatile int*>(gate.get()) = 1;
  EXPECT_CUDA(cudaEventSynchronize(event));
  second.wait();
  EXPECT_EQ(1, log[0]);
  EXPECT_EQ(2, log[1]);
  cudaEvent_t end;
  EXPECT_CUDA(cudaEventCreate(&end));
  float milliseconds = -1;
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, event, end));
  EXPECT_CUDA(cudaEventRecord(end, second));
  EXPECT_CUDA(cudaEventSynchronize(end));
  EXPECT_CUDA(cudaEventElapsedTime(&milliseconds, event, end));
  EXPECT_GE(milliseconds, 0);
  EXPECT_CUDA(cudaEventDestroy(event));
  EXPECT_CUDA(cudaEventDestroy(end));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaEventDestroy(end));
}

TEST(Streams, DefaultStreamJoinsBlockingStreams) {
  Pinned<int> gate;
  Pinned<int> log(3);
  Pinned<int> count;
  TestStream before(cudaStreamDefault), after(cudaStreamDefault);
  wait_for<<<1, 1, 0, before>>>(gate.get(), 1);
  append<<<1, 1, 0, before>>>(log.get(), count.get(), 1);
  append<<<1, 1>>>(log.get(), count.get(), 2);
  append<<<1, 1, 0, after>>>(log.get(), count.get(), 3);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(after));
  *reinterpret_cast<volatile int*>(gate.get()) = 1;
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(1, log[0]);
  EXPECT_EQ(2, log[1]);
  EXPECT_EQ(3, log[2]);
}

TEST(Streams, DefaultStreamDoesNotWaitForNonBlockingOnes) {
  Pinned<int> words(2);
  TestStream persistent;
  wait_for<<<1, 1, 0, persistent>>>(&words[0], 1);
  set<<<1, 1>>>(&words[1], 7);
  int copy = 0;
  EXPECT_CUDA(cudaMemcpy(&copy, &words[1], sizeof copy, cudaMemcpyDefault));
  EXPECT_EQ(7, copy);
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(persistent));
  set<<<1, 1>>>(&words[0], 1);
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST(Streams, WorkOutlivesItsStreamHandle) {
  Pinned<int> words(2);
  cudaStream_t stream;
  EXPECT_CUDA(cudaStreamCreate(&stream));
  EXPECT_CUDA(cudaStreamCreate(&stream));
  wait_for<<<1, 1, 0, stream>>>(&words[0], 1);
  set<<<1, 1, 0, stream>>>(&words[1], 3);
  EXPECT_CUDA(cudaStreamDestroy(stream));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaStreamQuery(stream));
  reinterpret_cast<volatile int*>(words.get())[0] = 1;
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(3, words[1]);
}

TEST(Streams, HostFunctionsCopiesAndFillsAreInOrder) {
  TestStream stream;
  int* device = nullptr;
  EXPECT_CUDA(cudaMallocAsync(&device, 4 * sizeof(int), stream));
  int source[4] = {1, 2, 3, 4};
  int result[4] = {};
  bool called = false;
  EXPECT_CUDA(cudaMemcpyAsync(device, source, sizeof source, cudaMemcpyHostToDevice, stream));
  EXPECT_CUDA(cudaMemsetAsync(device, 0xff, sizeof(int), stream));
  EXPECT_CUDA(cudaMemcpyAsync(result, device, sizeof result, cudaMemcpyDeviceToHost, stream));
  EXPECT_CUDA(cudaLaunchHostFunc(
      stream, [](void* data) { *static_cast<bool*>(data) = true; }, &called));
  EXPECT_CUDA(cudaFreeAsync(device, stream));
  stream.wait();
  EXPECT_EQ(-1, result[0]);
  EXPECT_EQ(4, result[3]);
  EXPECT_TRUE(called);
}

TEST(Streams, PerThreadStreamIsAStream) {
  Pinned<int> word;
  std::thread([&] {
    set<<<1, 1, 0, cudaStreamPerThread>>>(word.get(), 9);
    EXPECT_CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  EXPECT_EQ(9, *word);
}

TEST(Memory, WrongPointersAreErrors) {
  int local = 0;
  EXPECT_CUDA(cudaFree(nullptr));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(&local));
  int* device = nullptr;
  EXPECT_CUDA(cudaMalloc(&device, 10));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFreeHost(device));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(device + 1));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemset(device, 0, 11));
  EXPECT_EQ(cudaErrorInvalidValue, cudaMemcpy(device, nullptr, 4, cudaMemcpyDefault));
  EXPECT_EQ(cudaErrorInvalidMemcpyDirection,
            cudaMemcpy(device, &local, 4, static_cast<cudaMemcpyKind>(9)));
  EXPECT_CUDA(cudaFree(device));
  EXPECT_EQ(cudaErrorInvalidValue, cudaFree(device));
  EXPECT_EQ(cudaErrorMemoryAllocation, cudaMalloc(&device, ~size_t{0} / 2));
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(&local)));
  EXPECT_STREQ("cudaErrorInvalidValue", cudaGetErrorName(cudaErrorInvalidValue));
  EXPECT_STREQ("invalid argument", cudaGetErrorString(cudaErrorInvalidValue));
  cudaGetLastError();
}

TEST(Memory, PointersHaveAttributes) {
  cudaPointerAttributes attributes;
  std::vector<char> plain(100);
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, plain.data()));
  EXPECT_EQ(cudaMemoryTypeUnregistered, attributes.type);
  EXPECT_CUDA(cudaHostRegister(plain.data(), plain.size(), cudaHostRegisterMapped));
  EXPECT_EQ(cudaErrorHostMemoryAlreadyRegistered,
            cudaHostRegister(plain.data() + 50, 10, cudaHostRegisterDefault));
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, plain.data() + 99));
  EXPECT_EQ(cudaMemoryTypeHost, attributes.type);
  void* device = nullptr;
  EXPECT_CUDA(cudaHostGetDevicePointer(&device, plain.data(), 0));
  EXPECT_EQ(plain.data(), device);
  EXPECT_CUDA(cudaHostUnregister(plain.data()));
  EXPECT_EQ(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(plain.data()));
  EXPECT_CUDA(cudaMalloc(&device, 16));
  EXPECT_CUDA(cudaPointerGetAttributes(&attributes, device));
  EXPECT_EQ(cudaMemoryTypeDevice, attributes.type);
  EXPECT_EQ(device, attributes.devicePointer);
  EXPECT_CUDA(cudaFree(device));
  cudaGetLastError();
}

TEST(Device, DescribesItself) {
  int device = -1;
  EXPECT_CUDA(cudaDeviceGetByPCIBusId(&device, "0000:ff:1f.0"));
  EXPECT_EQ(0, device);
  EXPECT_CUDA(cudaDeviceGetByPCIBusId(&device, "FF:1F.0"));
  EXPECT_EQ(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&device, "0000:01:00.0"));
  char text[16];
  EXPECT_CUDA(cudaDeviceGetPCIBusId(text, sizeof text, 0));
  EXPECT_STREQ(WARPNIC_CPU_EXECUTOR_PCI_BUS_ID, text);
  cudaDeviceProp properties;
  EXPECT_CUDA(cudaGetDeviceProperties(&properties, 0));
  EXPECT_STREQ("warpnic CPU executor", properties.name);
  EXPECT_EQ(9, properties.major);
  int value = 0;
  EXPECT_CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  EXPECT_EQ(32, value);
  EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(1));
  EXPECT_CUDA(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, set, 256, 0));
  EXPECT_EQ(8, value);
  cudaGetLastError();
}

TEST(Device, DriverEvents) {
  EXPECT_EQ(CUDA_SUCCESS, cuInit(0));
  CUdevice device = -1;
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGet(&device, 0));
  CUevent begin, end;
  EXPECT_EQ(CUDA_SUCCESS, cuEventCreate(&begin, CU_EVENT_DEFAULT));
  EXPECT_EQ(CUDA_SUCCESS, cuEventCreate(&end, CU_EVENT_DEFAULT));
  EXPECT_EQ(CUDA_SUCCESS, cuEventRecord(begin, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuEventRecord(end, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(end));
  float milliseconds = -1;
  EXPECT_EQ(CUDA_SUCCESS, cuEventElapsedTime(&milliseconds, begin, end));
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(CUDA_SUCCESS, cuEventDestroy(begin));
  EXPECT_EQ(CUDA_SUCCESS, cuEventDestroy(end));
}
