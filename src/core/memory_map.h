// SPDX-License-Identifier: Apache-2.0
// What doca_mmap stands for: a range of memory and the NICs that may use it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/gpu_context.h"
#include "nic/nic.h"

namespace warpnic {

/// Thread-safe: queues of several threads may use one map.
class MemoryMap {
 public:
  MemoryMap();
  ~MemoryMap() { (void)deregister(); }

  Status add_nic(std::shared_ptr<Nic> nic);
  Status remove_nic(const Nic& nic);
  Status set_most_nics(uint32_t number);
  Status set_range(void* address, size_t bytes);
  Status set_permissions(uint32_t flags);
  Status start();
  /// IN_USE while a queue uses it. TIME_OUT: stopped, but a NIC may still write to the range.
  Status stop();

  bool started() const;
  /// BAD_STATE: not started. NOT_FOUND: the NIC is not in.
  Result<uint32_t> key(const Nic& nic) const;

  /// Whether a queue can put packets there. BAD_STATE: not started. INVALID_VALUE: outside the
  /// range, or not on 64 bytes. NOT_PERMITTED: the NIC may only read.
  Status check_packet_memory(uint64_t offset, uint64_t bytes) const;

  struct PacketMemory {
    uint64_t address;
    uint32_t key;
  };
  /// Holds the map started until release(). Fails as check_packet_memory and key do.
  Result<PacketMemory> acquire(const Nic& nic, uint64_t offset, uint64_t bytes);
  void release() noexcept;

 private:
  struct Member {
    std::shared_ptr<Nic> nic;
    std::optional<uint32_t> key;  ///< while registered
  };
  Status require_not_started() const;
  Result<uint32_t> key_locked(const Nic& nic) const;
  Status check_locked(uint64_t offset, uint64_t bytes) const;
  Status deregister();

  mutable std::mutex mutex_;
  std::vector<Member> members_;
  uint32_t most_nics_ = 32;
  void* address_ = nullptr;
  size_t bytes_ = 0;
  uint32_t permissions_;
  bool started_ = false;
  uint32_t users_ = 0;                  ///< running queues
  std::shared_ptr<Allocation> memory_;  ///< keeps GPU memory of ours alive while started
};

}  // namespace warpnic
