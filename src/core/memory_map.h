// SPDX-License-Identifier: Apache-2.0
// What doca_mmap stands for: a range of memory and the NICs that may use it.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "core/gpu_context.h"
#include "nic/nic.h"

namespace warpnic {

/// Configured, started and stopped by one thread at a time.
class MemoryMap {
 public:
  ~MemoryMap() { deregister(); }

  Status add_nic(std::shared_ptr<Nic> nic);
  Status remove_nic(const Nic& nic);
  Status set_most_nics(uint32_t number);
  Status set_range(void* address, size_t bytes);
  Status set_permissions(uint32_t flags);
  Status start();
  Status stop();  ///< IN_USE while a queue uses it

  bool started() const { return started_; }
  void* address() const { return address_; }
  size_t bytes() const { return bytes_; }
  /// BAD_STATE: not started. NOT_FOUND: the NIC is not in.
  Result<uint32_t> key(const Nic& nic) const;

  /// Running queues that use it.
  std::atomic<uint32_t> users{0};

 private:
  struct Member {
    std::shared_ptr<Nic> nic;
    uint32_t key = 0;
  };
  Status require_not_started() const;
  void deregister();

  std::vector<Member> members_;
  uint32_t most_nics_ = 32;
  void* address_ = nullptr;
  size_t bytes_ = 0;
  bool started_ = false;
  std::shared_ptr<Allocation> memory_;  ///< keeps GPU memory of ours alive while started
};

}  // namespace warpnic
