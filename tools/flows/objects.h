// SPDX-License-Identifier: Apache-2.0
// Owners of the interface's objects: each gives its object back when it goes.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "doca_dev.h"
#include "doca_eth_rxq.h"
#include "doca_gpunetio.h"
#include "doca_mmap.h"

namespace flows {

/// Throws std::runtime_error with the call's name and the code; the cause is in the log.
inline void check(doca_error_t status, const char* what) {
  if (status == DOCA_SUCCESS) return;
  throw std::runtime_error(std::string(what) + " failed: " + doca_error_get_descr(status) + " (" +
                           doca_error_get_name(status) + ")");
}
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + " failed: " + cudaGetErrorString(status));
}

/// A pointer and the call that takes it back.
template <class T, class Result, Result (*kRelease)(T*)>
class Owner {
 public:
  Owner() = default;
  explicit Owner(T* object) : object_(object) {}
  Owner(Owner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owner() {
    if (object_) (void)kRelease(object_);
  }
  T* get() const { return object_; }

 private:
  T* object_ = nullptr;
};

using Device = Owner<doca_dev, doca_error_t, doca_dev_close>;
using GpuOwner = Owner<doca_gpu, doca_error_t, doca_gpu_destroy>;
using MapOwner = Owner<doca_mmap, doca_error_t, doca_mmap_destroy>;
using QueueOwner = Owner<doca_eth_rxq, doca_error_t, doca_eth_rxq_destroy>;
using StreamOwner = Owner<CUstream_st, cudaError_t, cudaStreamDestroy>;

/// Memory of doca_gpu_mem_alloc; the GPU outlives it.
class Memory {
 public:
  Memory() = default;
  Memory(doca_gpu* gpu, size_t bytes, doca_gpu_mem_type type) : gpu_(gpu) {
    check(doca_gpu_mem_alloc(gpu, bytes, 4096, type, &gpu_address_,
                             type == DOCA_GPU_MEM_TYPE_GPU ? nullptr : &cpu_address_),
          "doca_gpu_mem_alloc");
  }
  Memory(Memory&& other) noexcept { *this = std::move(other); }
  Memory& operator=(Memory&& other) noexcept {
    std::swap(gpu_, other.gpu_);
    std::swap(gpu_address_, other.gpu_address_);
    std::swap(cpu_address_, other.cpu_address_);
    return *this;
  }
  ~Memory() {
    if (gpu_address_) (void)doca_gpu_mem_free(gpu_, gpu_address_);
  }
  template <class T>
  T* gpu() const {
    return static_cast<T*>(gpu_address_);
  }
  template <class T>
  T* cpu() const {
    return static_cast<T*>(cpu_address_);
  }

 private:
  doca_gpu* gpu_ = nullptr;
  void* gpu_address_ = nullptr;
  void* cpu_address_ = nullptr;
};

}  // namespace flows
