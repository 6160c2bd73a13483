// SPDX-License-Identifier: Apache-2.0
// The virtual NIC: a link, an engine, and a CPU thread that pumps the link and drives the engine.
// docs/virtual-nic.md explains the parts and the links' specs.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "nic/nic.h"
#include "nic/virtual/engine/state.h"
#include "nic/virtual/link/link.h"

namespace warpnic {

/// Who takes the engine's steps. Called by the NIC's thread only.
class EngineDriver {
 public:
  virtual ~EngineDriver() = default;
  /// Takes at least one step, and more while frames move, for about a millisecond at most. Returns
  /// the number of frames dealt with.
  virtual uint32_t run(engine::Engine& engine) = 0;
};

/// The NIC's thread itself, as a group of one lane.
std::unique_ptr<EngineDriver> make_thread_driver();

class VirtualNic final : public Nic {
 public:
  VirtualNic(std::string name, std::string pci_address, std::string spec,
             std::unique_ptr<Link> link,
             std::unique_ptr<EngineDriver> driver = make_thread_driver());
  ~VirtualNic() override;

  std::string name() const override { return name_; }
  std::string pci_address() const override { return pci_address_; }
  std::string describe() const override { return spec_; }
  NicCaps caps() const override;
  Result<uint32_t> register_memory(void* gpu_address, size_t bytes) override;
  Status deregister_memory(uint32_t key) override;
  const uint64_t* heartbeat() const override { return &engine_->control.heartbeat; }
  Result<ReceiveQueueId> start_receive_queue(const ReceiveQueueSpec& spec) override;
  Status stop_receive_queue(ReceiveQueueId id, uint64_t consumer) override;
  NicCounters counters() const override;
  bool link_ended() const override { return link_->ended() && ring_is_empty(); }
  std::string link_warning() const override { return link_->warning(); }

 private:
  struct Running {
    ReceiveQueueId id;
    uint8_t position;  ///< in Engine::queues
    ReceiveQueueSpec spec;
  };

  bool ring_is_empty() const;
  std::string title() const;  ///< for messages
  Status check(const ReceiveQueueSpec& spec) const;
  bool wait_until_seen() const;
  bool set_steering();  ///< by running_; false: the engine did not answer within 10 s
  engine::Counters read_counters() const;
  void run();           ///< the NIC's thread
  void warn_of_stall(uint32_t blocked_on);

  const std::string name_;
  const std::string pci_address_;
  const std::string spec_;
  const std::unique_ptr<Link> link_;
  const std::unique_ptr<EngineDriver> driver_;
  const std::unique_ptr<engine::Engine> engine_;

  mutable std::mutex mutex_;  ///< queues and regions; never taken by the NIC's thread
  std::vector<Running> running_;
  /// Places in Engine::queues that must not be used again: the engine did not say it left them.
  std::array<bool, engine::kMaxQueues> lost_{};
  ReceiveQueueId next_id_ = 1;
  uint32_t next_key_ = 1;
  uint64_t request_ = 0;           ///< the newest steering table
  uint64_t delivered_before_ = 0;  ///< by queues that are stopped
  uint64_t not_received_ = 0;
  std::thread thread_;
  std::atomic<bool> stop_{false};
};

}  // namespace warpnic
