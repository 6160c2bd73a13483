// SPDX-License-Identifier: Apache-2.0
#include "core/memory_map.h"

#include <algorithm>

#include "doca_types.h"

namespace warpnic {

MemoryMap::MemoryMap() : permissions_(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) {}

bool MemoryMap::started() const {
  std::lock_guard lock(mutex_);
  return started_;
}

Status MemoryMap::require_not_started() const {
  if (!started_) return {};
  return Status(DOCA_ERROR_BAD_STATE, "the memory map is started; stop it before changing it");
}

Status MemoryMap::add_nic(std::shared_ptr<Nic> nic) {
  std::lock_guard lock(mutex_);
  if (Status status = require_not_started(); !status.ok()) return status;
  for (const Member& member : members_) {
    if (member.nic == nic) {
      return Status(DOCA_ERROR_ALREADY_EXIST,
                    "device " + nic->pci_address() + " is in the memory map already");
    }
  }
  if (members_.size() >= most_nics_) {
    return Status(DOCA_ERROR_FULL, "the memory map holds at most " + std::to_string(most_nics_) +
                                       " devices; doca_mmap_set_max_num_devices allows more");
  }
  members_.push_back({std::move(nic), 0});
  return {};
}

Status MemoryMap::remove_nic(const Nic& nic) {
  std::lock_guard lock(mutex_);
  if (Status status = require_not_started(); !status.ok()) return status;
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& member) { return member.nic.get() == &nic; });
  if (found == members_.end()) {
    return Status(DOCA_ERROR_NOT_FOUND,
                  "device " + nic.pci_address() + " is not in the memory map");
  }
  members_.erase(found);
  return {};
}

Status MemoryMap::set_most_nics(uint32_t number) {
  std::lock_guard lock(mutex_);
  if (Status status = require_not_started(); !status.ok()) return status;
  if (number == 0 || number < members_.size()) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "at most " + std::to_string(number) + " devices: " +
                      std::to_string(members_.size()) + " are in the memory map already");
  }
  most_nics_ = number;
  return {};
}

Status MemoryMap::set_range(void* address, size_t bytes) {
  std::lock_guard lock(mutex_);
  if (Status status = require_not_started(); !status.ok()) return status;
  if (bytes == 0 || reinterpret_cast<uintptr_t>(address) + bytes < bytes) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "a range of " + std::to_string(bytes) + " bytes at this address is not possible");
  }
  address_ = address;
  bytes_ = bytes;
  return {};
}

Status MemoryMap::set_permissions(uint32_t flags) {
  std::lock_guard lock(mutex_);
  if (Status status = require_not_started(); !status.ok()) return status;
  constexpr uint32_t kKnown = DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ |
                              DOCA_ACCESS_FLAG_RDMA_WRITE | DOCA_ACCESS_FLAG_RDMA_ATOMIC |
                              DOCA_ACCESS_FLAG_PCI_READ_ONLY | DOCA_ACCESS_FLAG_PCI_READ_WRITE |
                              DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING;
  if ((flags & ~kKnown) != 0) {
    return Status(DOCA_ERROR_INVALID_VALUE, "access flags " + std::to_string(flags) +
                                                " hold one that enum doca_access_flag has not");
  }
  permissions_ = flags;
  return {};
}

Status MemoryMap::start() {
  std::lock_guard lock(mutex_);
  if (started_) return Status(DOCA_ERROR_BAD_STATE, "the memory map is started already");
  if (bytes_ == 0) {
    return Status(DOCA_ERROR_BAD_STATE,
                  "the memory map has no range; call doca_mmap_set_memrange first");
  }
  if (members_.empty()) {
    return Status(DOCA_ERROR_BAD_STATE,
                  "the memory map has no device; call doca_mmap_add_dev first");
  }
  std::shared_ptr<Allocation> memory = find_allocation(address_);
  if (memory &&
      memory->begin() + memory->bytes() - reinterpret_cast<uintptr_t>(address_) < bytes_) {
    return Status(DOCA_ERROR_INVALID_VALUE, "the memory map's range of " + std::to_string(bytes_) +
                                                " bytes is longer than its allocation of " +
                                                std::to_string(memory->bytes()));
  }
  memory_ = std::move(memory);
  try {
    for (Member& member : members_) {
      const Result<uint32_t> key = member.nic->register_memory(address_, bytes_);
      if (!key.ok()) {
        (void)deregister();
        return key.status();
      }
      member.key = key.value();
    }
  } catch (...) {
    (void)deregister();
    throw;
  }
  started_ = true;
  return {};
}

Status MemoryMap::stop() {
  std::lock_guard lock(mutex_);
  if (!started_) return Status(DOCA_ERROR_BAD_STATE, "the memory map is not started");
  if (users_ != 0) {
    return Status(DOCA_ERROR_IN_USE, std::to_string(users_) +
                                         " running queue(s) use the memory map; stop them first");
  }
  return deregister();
}

/// All NICs are asked, also after one has failed.
Status MemoryMap::deregister() {
  Status first;
  for (Member& member : members_) {
    if (!member.key) continue;
    const Status status = member.nic->deregister_memory(*member.key);
    if (first.ok()) first = status;
    member.key.reset();
  }
  started_ = false;
  if (!first.ok() && memory_) keep_for_ever(std::move(memory_));
  memory_.reset();
  return first;
}

Result<uint32_t> MemoryMap::key(const Nic& nic) const {
  std::lock_guard lock(mutex_);
  return key_locked(nic);
}

Result<uint32_t> MemoryMap::key_locked(const Nic& nic) const {
  if (!started_) {
    return Status(DOCA_ERROR_BAD_STATE, "the memory map is not started: it has no key yet");
  }
  for (const Member& member : members_) {
    if (member.nic.get() == &nic) return *member.key;
  }
  return Status(DOCA_ERROR_NOT_FOUND, "device " + nic.pci_address() +
                                          " is not in the memory map; doca_mmap_add_dev adds it");
}

Status MemoryMap::check_packet_memory(uint64_t offset, uint64_t bytes) const {
  std::lock_guard lock(mutex_);
  return check_locked(offset, bytes);
}

Status MemoryMap::check_locked(uint64_t offset, uint64_t bytes) const {
  if (!started_) {
    return Status(DOCA_ERROR_BAD_STATE,
                  "the memory map of the packet memory is not started; call doca_mmap_start first");
  }
  if (bytes == 0 || offset > bytes_ || bytes > bytes_ - offset) {
    return Status(DOCA_ERROR_INVALID_VALUE, std::to_string(bytes) + " bytes from offset " +
                                                std::to_string(offset) +
                                                " do not lie inside the memory map of " +
                                                std::to_string(bytes_) + " bytes");
  }
  if ((reinterpret_cast<uintptr_t>(address_) + offset) % 64 != 0) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "the packet memory does not begin at a multiple of 64 bytes");
  }
  if ((permissions_ & DOCA_ACCESS_FLAG_LOCAL_READ_WRITE) == 0) {
    return Status(DOCA_ERROR_NOT_PERMITTED,
                  "the memory map lets devices only read; packets need "
                  "DOCA_ACCESS_FLAG_LOCAL_READ_WRITE of doca_mmap_set_permissions");
  }
  return {};
}

Result<MemoryMap::PacketMemory> MemoryMap::acquire(const Nic& nic, uint64_t offset,
                                                   uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (Status status = check_locked(offset, bytes); !status.ok()) return status;
  const Result<uint32_t> key = key_locked(nic);
  if (!key.ok()) return key.status();
  ++users_;
  return PacketMemory{reinterpret_cast<uintptr_t>(address_) + offset, key.value()};
}

void MemoryMap::release() noexcept {
  std::lock_guard lock(mutex_);
  --users_;
}

}  // namespace warpnic
