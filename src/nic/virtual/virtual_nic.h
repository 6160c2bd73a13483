// SPDX-License-Identifier: Apache-2.0
// The virtual NIC: a link, an engine, and a CPU thread that takes the engine's steps.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "nic/nic.h"
#include "nic/virtual/engine/state.h"
#include "nic/virtual/link/link.h"

namespace warpnic {

class VirtualNic final : public Nic {
 public:
  VirtualNic(std::string name, std::string pci_address, std::string spec,
             std::unique_ptr<Link> link);
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
  bool set_steering();  ///< by running_; false: the engine did not answer
  void run();           ///< the NIC's thread
  void warn_of_stall(uint32_t blocked_on);

  const std::string name_;
  const std::string pci_address_;
  const std::string spec_;
  const std::unique_ptr<Link> link_;
  const std::unique_ptr<engine::Engine> engine_;

  mutable std::mutex mutex_;  ///< queues and regions; never taken by the NIC's thread
  std::vector<Running> running_;
  ReceiveQueueId next_id_ = 1;
  uint32_t next_generation_ = 1;
  uint64_t delivered_before_ = 0;  ///< by queues that are stopped
  uint64_t not_received_ = 0;
  std::thread thread_;
  std::atomic<bool> stop_{false};
};

}  // namespace warpnic
