// Small helpers of the executor tests: memory and streams that free themselves, and checks.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstring>

#define EXPECT_CUDA(call) EXPECT_EQ(cudaSuccess, (call))

/// Memory that kernel and host share, zeroed.
template <class T>
class Pinned {
 public:
  explicit Pinned(size_t count = 1) {
    EXPECT_CUDA(cudaMallocHost(&data_, count * sizeof(T)));
    memset(static_cast<void*>(data_), 0, count * sizeof(T));
  }
  ~Pinned() { EXPECT_CUDA(cudaFreeHost(data_)); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  T* get() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }
  T* operator->() const { return data_; }
  T& operator*() const { return *data_; }

 private:
  T* data_ = nullptr;
};

class TestStream {
 public:
  explicit TestStream(unsigned flags = cudaStreamNonBlocking) {
    EXPECT_CUDA(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~TestStream() { EXPECT_CUDA(cudaStreamDestroy(stream_)); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void wait() const { EXPECT_CUDA(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_ = nullptr;
};
