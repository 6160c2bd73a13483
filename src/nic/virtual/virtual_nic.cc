// SPDX-License-Identifier: Apache-2.0
#include "nic/virtual/virtual_nic.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>

#include "core/log.h"
#include "nic/virtual/engine/receive.h"
#include "nic/virtual/engine/setup.h"

namespace warpnic {
namespace {

using std::chrono::steady_clock;
constexpr auto kAnswerLimit = std::chrono::seconds(10);
constexpr auto kStallLimit = std::chrono::seconds(1);
/// Turns without work before the thread begins to sleep between looks.
constexpr unsigned kTurnsBeforeSleep = 200;
constexpr auto kIdleSleep = std::chrono::microseconds(50);

}  // namespace

VirtualNic::VirtualNic(std::string name, std::string pci_address, std::string spec,
                       std::unique_ptr<Link> link)
    : name_(std::move(name)),
      pci_address_(std::move(pci_address)),
      spec_(std::move(spec)),
      link_(std::move(link)),
      engine_(new engine::Engine()) {
  engine::init(*engine_, link_->port(), link_->lossless());
}

VirtualNic::~VirtualNic() {
  stop_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

NicCaps VirtualNic::caps() const {
  NicCaps caps;
  caps.max_receive_slots = 65536;
  caps.max_packet_bytes = 1u << 20;
  caps.max_receive_queues = engine::kMaxQueues;
  return caps;
}

Result<uint32_t> VirtualNic::register_memory(void* gpu_address, size_t bytes) {
  std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < engine::kMaxRegions; ++i) {
    engine::Region& region = engine_->regions[i];
    if (peek(&region.key) != 0) continue;
    const uint32_t key = (next_generation_++ & 0xffff) << 16 | i << 8 | 0x80;
    note(&region.base, reinterpret_cast<uint64_t>(gpu_address));
    note(&region.bytes, uint64_t{bytes});
    note(&region.key, key);
    return key;
  }
  return Status(DOCA_ERROR_NO_MEMORY,
                "virtual NIC " + pci_address_ + " has " + std::to_string(engine::kMaxRegions) +
                    " memory regions registered already; stop memory maps that are not used");
}

Status VirtualNic::deregister_memory(uint32_t key) {
  std::lock_guard lock(mutex_);
  engine::Region& region = engine_->regions[key >> 8 & (engine::kMaxRegions - 1)];
  if (key == 0 || peek(&region.key) != key) {
    return Status(DOCA_ERROR_NOT_FOUND, "no memory region has this key");
  }
  note(&region.key, 0u);
  return {};
}

bool VirtualNic::set_steering() {
  std::vector<uint8_t> positions;
  for (const Running& queue : running_) positions.push_back(queue.position);
  const uint64_t request = engine::request_steering(*engine_, positions);
  const auto deadline = steady_clock::now() + kAnswerLimit;
  while (!engine::has_seen(*engine_, request)) {
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

Result<ReceiveQueueId> VirtualNic::start_receive_queue(const ReceiveQueueSpec& spec) {
  std::lock_guard lock(mutex_);
  if (!spec.gpu->cpu_can_address()) {
    return Status(DOCA_ERROR_NOT_SUPPORTED,
                  "virtual NIC " + pci_address_ + " runs on a CPU thread and cannot reach memory of " +
                      spec.gpu->name());
  }
  std::vector<bool> used(engine::kMaxQueues);
  for (const Running& queue : running_) used[queue.position] = true;
  const auto free = std::find(used.begin(), used.end(), false);
  if (free == used.end()) {
    return Status(DOCA_ERROR_FULL, "virtual NIC " + pci_address_ + " has " +
                                       std::to_string(engine::kMaxQueues) +
                                       " receive queues running, which is all it can");
  }
  const auto position = static_cast<uint8_t>(free - used.begin());
  engine::set_queue(engine_->queues[position], spec);
  running_.push_back({next_id_++, position, spec});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  if (!set_steering()) {
    // The engine may still take the table up: leave the queue listed, and its memory with it.
    return Status(DOCA_ERROR_TIME_OUT, "the engine of virtual NIC " + pci_address_ +
                                           " did not answer within 10 s");
  }
  return running_.back().id;
}

Status VirtualNic::stop_receive_queue(ReceiveQueueId id, uint64_t consumer) {
  std::lock_guard lock(mutex_);
  const auto queue = std::find_if(running_.begin(), running_.end(),
                                  [id](const Running& candidate) { return candidate.id == id; });
  if (queue == running_.end()) {
    return Status(DOCA_ERROR_BAD_STATE, "virtual NIC " + pci_address_ + " runs no such queue");
  }
  const Running stopped = *queue;
  const auto place = running_.erase(queue);
  if (!set_steering()) {
    running_.insert(place, stopped);
    return Status(DOCA_ERROR_TIME_OUT, "the engine of virtual NIC " + pci_address_ +
                                           " did not answer within 10 s; the queue is in use");
  }
  const uint64_t written = peek(&engine_->queues[stopped.position].written);
  delivered_before_ += consumer;
  not_received_ += written - consumer;
  return {};
}

NicCounters VirtualNic::counters() const {
  std::lock_guard lock(mutex_);
  NicCounters counters;
  counters.delivered = delivered_before_;
  for (const Running& queue : running_) {
    const uint64_t consumer = queue.spec.gpu->load_word(&queue.spec.handle->consumer);
    const uint64_t written = peek(&engine_->queues[queue.position].written);
    counters.delivered += consumer;
    counters.in_flight += std::max(written, consumer) - consumer;
  }
  const engine::Counters& counted = engine_->counters;
  for (unsigned cause = 0; cause < kDropCauses; ++cause) {
    counters.dropped[cause] = peek(&counted.dropped[cause]);
  }
  counters.dropped[static_cast<unsigned>(Drop::kNotReceivedBeforeStop)] += not_received_;
  counters.bytes = peek(&counted.bytes);
  counters.frames = peek(&counted.frames);
  return counters;
}

bool VirtualNic::ring_is_empty() const {
  const auto& rx = link_->port().rx;
  return observe<Point::kWireRxProducer>(rx.producer) == observe<Point::kWireRxConsumer>(rx.consumer);
}

void VirtualNic::run() {
  pthread_setname_np(pthread_self(), name_.c_str());
  unsigned idle = 0;
  uint32_t blocked_on = 0;
  bool warned = false;
  steady_clock::time_point blocked_since;
  while (!stop_.load(std::memory_order_relaxed)) {
    const bool pumped = link_->pump();
    const uint32_t moved = engine::step(*engine_, SoloLane());
    if (moved != 0 || pumped) {
      idle = 0;
      blocked_on = 0;
      continue;
    }
    const uint32_t blocked = engine_->control.blocked_on;
    if (blocked != blocked_on) {
      blocked_on = blocked;
      blocked_since = steady_clock::now();
      warned = false;
    } else if (blocked != 0 && !warned && steady_clock::now() - blocked_since > kStallLimit) {
      warn_of_stall(blocked);
      warned = true;
    }
    if (++idle < kTurnsBeforeSleep) {
      relax();
    } else {
      std::this_thread::sleep_for(kIdleSleep);
    }
  }
}

void VirtualNic::warn_of_stall(uint32_t blocked_on) {
  const engine::Queue& queue = engine_->queues[blocked_on - 1];
  log_warning("virtual NIC " + pci_address_ + " (" + spec_ + ") has waited for 1 s: receive queue " +
              std::to_string(blocked_on - 1) + " is full (" + std::to_string(queue.written) +
              " frames written, none of its " + std::to_string(1u << queue.slots_log2) +
              " slots given back); is its kernel still calling recv? speed=recorded drops frames "
              "instead of waiting");
}

}  // namespace warpnic
