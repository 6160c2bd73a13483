// SPDX-License-Identifier: Apache-2.0
// A GPU and a NIC that only remember what they were asked, and fail when a test tells them to.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "nic/nic.h"

namespace warpnic::test {

/// GPU memory is host memory, so that a test can look into it and play the kernel.
class FakeGpu final : public Gpu {
 public:
  ~FakeGpu() override {
    for (const auto& [memory, bytes] : live) std::free(memory);
  }
  std::string name() const override { return "fake GPU"; }
  std::string bus_id() const override { return "0000:00:1f.0"; }

  Result<GpuMemory> allocate(size_t bytes, size_t alignment, MemoryKind kind) override {
    if (bytes == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
      return Status(DOCA_ERROR_INVALID_VALUE, "size is 0, or alignment no power of two");
    }
    if (allocations_until_failure == 0) {
      return Status(DOCA_ERROR_NO_MEMORY, "the fake GPU is full");
    }
    --allocations_until_failure;
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment < 64 ? 64 : alignment, bytes) != 0) {
      throw std::bad_alloc();
    }
    std::unique_ptr<void, decltype(&std::free)> owner(memory, &std::free);
    std::memset(memory, 0, bytes);
    std::lock_guard lock(mutex);
    live[memory] = bytes;
    (void)owner.release();
    return GpuMemory{memory, kind == MemoryKind::kGpu ? nullptr : memory};
  }
  Status free(void* gpu_address) override {
    std::lock_guard lock(mutex);
    if (live.erase(gpu_address) == 0) return Status(DOCA_ERROR_INVALID_VALUE, "not allocated");
    std::free(gpu_address);
    return {};
  }
  Status write(void* gpu_to, const void* from, size_t bytes) override {
    if (writes_until_failure == 0) return Status(DOCA_ERROR_DRIVER, "the fake GPU refuses");
    --writes_until_failure;
    std::memcpy(gpu_to, from, bytes);
    return {};
  }
  Status read(void* to, const void* gpu_from, size_t bytes) override {
    std::memcpy(to, gpu_from, bytes);
    return {};
  }
  void store_word(uint32_t* word, uint32_t value) override {
    std::atomic_ref(*word).store(value);
  }
  uint32_t load_word(const uint32_t* word) override {
    if (before_load) before_load(word);
    return std::atomic_ref(const_cast<uint32_t&>(*word)).load();
  }
  uint64_t load_word(const uint64_t* word) override {
    return std::atomic_ref(const_cast<uint64_t&>(*word)).load();
  }
  bool cpu_can_address() const override { return true; }

  size_t pieces() {
    std::lock_guard lock(mutex);
    return live.size();
  }

  static constexpr unsigned kNever = ~0u;
  unsigned allocations_until_failure = kNever;
  unsigned writes_until_failure = kNever;
  std::function<void(const uint32_t*)> before_load;  ///< the kernel's turn
  std::mutex mutex;
  std::map<void*, size_t> live;
};

/// What a call on the NIC does instead of succeeding.
struct Refusal {
  Status status;
  bool throws = false;
  Status act() const {
    if (throws) throw std::bad_alloc();
    return status;
  }
};

class FakeNic final : public Nic {
 public:
  explicit FakeNic(std::string address = "0000:fe:00.0") : address_(std::move(address)) {}
  std::string name() const override { return "fake0"; }
  std::string pci_address() const override { return address_; }
  std::string describe() const override { return "fake"; }
  NicCaps caps() const override { return limits; }

  Result<uint32_t> register_memory(void* address, size_t bytes) override {
    if (Status status = on_register.act(); !status.ok()) return status;
    regions[next_key] = {address, bytes};
    return next_key++;
  }
  Status deregister_memory(uint32_t key) override {
    if (Status status = on_deregister.act(); !status.ok()) return status;
    if (regions.erase(key) == 0) return Status(DOCA_ERROR_NOT_FOUND, "no such key");
    return {};
  }
  const uint64_t* heartbeat() const override { return &beat; }

  Result<ReceiveQueueId> start_receive_queue(const ReceiveQueueSpec& spec) override {
    if (Status status = on_start.act(); !status.ok()) return status;
    queues[next_queue] = spec;
    return next_queue++;
  }
  Status stop_receive_queue(ReceiveQueueId id, uint64_t consumer) override {
    if (Status status = on_stop.act(); !status.ok()) return status;
    if (queues.count(id) == 0) return Status(DOCA_ERROR_BAD_STATE, "no such queue");
    consumers.push_back(consumer);
    queues.erase(id);
    return {};
  }
  NicCounters counters() const override { return counted; }
  bool link_ended() const override { return ended; }
  std::string link_warning() const override { return warning; }

  NicCaps limits{65536, 1u << 20, 8};
  Refusal on_register, on_deregister, on_start, on_stop;
  std::map<uint32_t, std::pair<void*, size_t>> regions;
  std::map<ReceiveQueueId, ReceiveQueueSpec> queues;
  std::vector<uint64_t> consumers;  ///< told at each stop
  NicCounters counted;
  bool ended = false;
  std::string warning;
  uint64_t beat = 0;
  uint32_t next_key = 0;  ///< zero is a key like any other
  ReceiveQueueId next_queue = 0;

 private:
  const std::string address_;
};

}  // namespace warpnic::test
