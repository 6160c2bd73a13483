// SPDX-License-Identifier: Apache-2.0
// What doca_eth_rxq stands for: sizes, states, and what is laid out for NIC and kernels.
#pragma once

#include <memory>
#include <optional>

#include "core/context.h"
#include "core/memory_map.h"
#include "doca_eth_rxq.h"
#include "nic/nic.h"

namespace warpnic {

/// Slots of a queue for that burst: the next power of two.
uint32_t slots_log2_of(uint32_t max_burst_packets);
/// From slot to slot.
uint64_t stride_of(uint32_t max_packet_bytes);
/// Bytes of packet memory.
inline uint64_t packet_memory_of(uint32_t max_packet_bytes, uint32_t slots_log2) {
  return stride_of(max_packet_bytes) << slots_log2;
}

constexpr uint32_t kLeastBurst = 2;
constexpr uint32_t kMostBurst = 65536;
constexpr uint32_t kLeastPacketBytes = 14;

/// Whether a NIC can have a queue of these sizes; INVALID_VALUE says which is wrong.
Status check_sizes(uint32_t max_burst_packets, uint32_t max_packet_bytes, const NicCaps& caps);

/// What a running queue has in GPU memory, beside its packets.
struct ReceiveLayout {
  ReceiveHandle* handle = nullptr;  ///< belongs to the GPU's context
  std::shared_ptr<Allocation> descriptors;
  std::shared_ptr<Allocation> completions;
  std::shared_ptr<Allocation> doorbell;
};

}  // namespace warpnic

struct doca_eth_rxq final : doca_ctx {
 public:
  doca_eth_rxq(std::shared_ptr<warpnic::Nic> nic, uint32_t max_burst_packets,
               uint32_t max_packet_bytes);

  warpnic::Status set_type(enum doca_eth_rxq_type type);
  warpnic::Status set_packet_memory(std::shared_ptr<warpnic::MemoryMap> map, uint64_t offset,
                                    uint32_t bytes);
  warpnic::Status set_hold_back(uint32_t packets);
  warpnic::Status apply_queue_id(uint16_t id);
  warpnic::Result<struct doca_gpu_eth_rxq*> gpu_handle() const;

 protected:
  warpnic::Status do_start() override;
  warpnic::Status do_stop() override;

 private:
  using PacketMemory = warpnic::MemoryMap::PacketMemory;

  std::string title() const;  ///< for messages
  warpnic::Status check_configuration() const;
  warpnic::Status lay_out(const PacketMemory& packets, warpnic::ReceiveLayout* layout) const;
  warpnic::Status start_with(const PacketMemory& packets);
  warpnic::Status close_for_kernels();
  void report_fault() const noexcept;

  std::shared_ptr<warpnic::Nic> nic_;
  const uint32_t max_packet_bytes_;
  const uint32_t slots_log2_;
  enum doca_eth_rxq_type type_ = DOCA_ETH_RXQ_TYPE_REGULAR;
  std::shared_ptr<warpnic::MemoryMap> map_;
  uint64_t offset_ = 0;
  uint32_t packet_memory_bytes_ = 0;
  uint32_t hold_back_ = 0;  ///< 0: a quarter
  std::optional<uint16_t> queue_id_;

  // While running.
  warpnic::ReceiveLayout layout_;
  warpnic::ReceiveQueueId id_ = 0;
};
