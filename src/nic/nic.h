// SPDX-License-Identifier: Apache-2.0
// What every NIC must do for the host library. One implementation today: nic/virtual.
// Nothing here is on the data path: once a queue is started, kernels and NIC talk through memory.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/status.h"
#include "gpu/gpu.h"
#include "nic/drop.h"
#include "warpnic/format/handle.h"
#include "warpnic/format/mlx5_wqe.h"

namespace warpnic {

/// Frames of one NIC since it was opened. delivered + in_flight + sum(dropped) == frames at every
/// moment at which no frame moves; in_flight is zero once all queues are stopped.
struct NicCounters {
  uint64_t frames = 0;     ///< taken from the link by the engine
  uint64_t bytes = 0;      ///< their bytes present
  uint64_t delivered = 0;  ///< returned by recv
  uint64_t in_flight = 0;  ///< written to a queue, not yet returned by recv
  std::array<uint64_t, kDropCauses> dropped{};
};

struct NicCaps {
  uint32_t max_receive_slots = 65536;
  uint32_t max_packet_bytes = 0;
  uint32_t max_receive_queues = 0;
};

/// A receive queue in memory that GPU and NIC both reach. Owned by the caller (src/eth), who keeps
/// it all until destroy_receive_queue has returned. Addresses are GPU addresses.
struct ReceiveQueueSpec {
  std::shared_ptr<Gpu> gpu;
  ReceiveHandle* handle = nullptr;         ///< completely written, closed = 0
  const ReceiveDescriptor* descriptors = nullptr;  ///< N, completely written
  Completion* completions = nullptr;       ///< N, all kCqeInvalid
  DoorbellRecord* doorbell = nullptr;      ///< says N - hold_back
  uint32_t slots_log2 = 0;
  uint32_t max_packet_bytes = 0;           ///< longer frames are dropped as kTooLong
};

using ReceiveQueueId = uint32_t;

/// Thread-safe. Errors name cause and remedy.
class Nic {
 public:
  virtual ~Nic() = default;

  virtual std::string name() const = 0;         ///< interface-like name, e.g. "vnic0"
  virtual std::string pci_address() const = 0;  ///< "0000:ff:00.0"
  virtual std::string describe() const = 0;     ///< for people, e.g. "pcap:in.pcap"
  virtual NicCaps caps() const = 0;

  /// Makes [gpu_address, +bytes) usable under the key returned (CPU byte order).
  /// NO_MEMORY: too many regions.
  virtual Result<uint32_t> register_memory(void* gpu_address, size_t bytes) = 0;
  /// NOT_FOUND: no such key. TIME_OUT: the key is gone, but the NIC may still write to the memory.
  virtual Status deregister_memory(uint32_t key) = 0;

  /// The word that ReceiveHandle::heartbeat points to; lives as long as the NIC.
  virtual const uint64_t* heartbeat() const = 0;

  /// From its return on, frames may be written to the queue. The first queue starts the link.
  /// FULL: max_receive_queues are started. NOT_SUPPORTED: this NIC serves another GPU.
  /// TIME_OUT: the engine did not answer; it may use the queue's memory from now on, for ever.
  virtual Result<ReceiveQueueId> start_receive_queue(const ReceiveQueueSpec& spec) = 0;
  /// On return the NIC does not touch the queue's memory any more, and the frames it wrote that
  /// recv had not returned (`consumer` says which) are counted as kNotReceivedBeforeStop.
  /// The caller has closed the queue before and knows that nobody is inside it.
  /// BAD_STATE: no such queue. TIME_OUT: the engine did not answer; the queue is still in use.
  virtual Status stop_receive_queue(ReceiveQueueId id, uint64_t consumer) = 0;

  virtual NicCounters counters() const = 0;
  /// True when the link will bring no further frame (end of a capture).
  virtual bool link_ended() const = 0;
  /// What is wrong with the link, if it ended early or complains (a capture cut in its middle).
  virtual std::string link_warning() const = 0;
};

/// All NICs known: those of WARPNIC_DEVICES (read at the first call) and those added since.
/// A part of WARPNIC_DEVICES that is wrong is an error that names it.
Result<std::vector<std::shared_ptr<Nic>>> all_nics();

/// Creates a virtual NIC from a spec such as "pcap:in.pcap,speed=max" and makes it discoverable.
/// pci_address "" chooses a free one (ff:00.0, ff:01.0, ...).
/// INVALID_VALUE: spec or address malformed. ALREADY_EXIST: address taken. NOT_FOUND, IO_FAILED,
/// NOT_SUPPORTED: the link's file is missing, unreadable, not Ethernet.
Result<std::shared_ptr<Nic>> add_virtual_nic(const std::string& pci_address,
                                             const std::string& spec);

}  // namespace warpnic
