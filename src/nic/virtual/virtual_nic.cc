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

class ThreadDriver final : public EngineDriver {
 public:
  uint32_t run(engine::Engine& engine) override {
    constexpr unsigned kMostSteps = 64;  // then the link is pumped again
    uint32_t moved = 0;
    for (unsigned i = 0; i < kMostSteps; ++i) {
      const uint32_t frames = engine::step(engine, SoloLane());
      if (frames == 0) break;
      moved += frames;
    }
    return moved;
  }
};

}  // namespace

std::unique_ptr<EngineDriver> make_thread_driver() { return std::make_unique<ThreadDriver>(); }

VirtualNic::VirtualNic(std::string name, std::string pci_address, std::string spec,
                       std::unique_ptr<Link> link, std::unique_ptr<EngineDriver> driver)
    : name_(std::move(name)),
      pci_address_(std::move(pci_address)),
      spec_(std::move(spec)),
      link_(std::move(link)),
      driver_(std::move(driver)),
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

std::string VirtualNic::title() const { return "virtual NIC " + pci_address_; }

Result<uint32_t> VirtualNic::register_memory(void* gpu_address, size_t bytes) {
  const uint64_t base = reinterpret_cast<uintptr_t>(gpu_address);
  if (base == 0 || bytes == 0 || base + bytes < base) {
    return Status(DOCA_ERROR_INVALID_VALUE, "a memory region needs an address and a length");
  }
  std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < engine::kMaxRegions; ++i) {
    engine::Region& region = engine_->regions[i];
    if (peek(&region.key) != 0) continue;
    const uint32_t key = (next_key_++ & 0xffff) << 16 | i << 8 | 0x80;
    note(&region.base, base);
    note(&region.bytes, uint64_t{bytes});
    note(&region.key, key);
    return key;
  }
  return Status(DOCA_ERROR_NO_MEMORY,
                title() + " has " + std::to_string(engine::kMaxRegions) +
                    " memory regions registered already; stop memory maps that are not used");
}

Status VirtualNic::deregister_memory(uint32_t key) {
  std::lock_guard lock(mutex_);
  engine::Region& region = engine_->regions[(key >> 8) & (engine::kMaxRegions - 1)];
  if (key == 0 || peek(&region.key) != key) {
    return Status(DOCA_ERROR_NOT_FOUND, title() + " has no memory region with this key");
  }
  note(&region.key, 0u);
  // A step that began before may still write there; the answer comes from a later one.
  if (!running_.empty() && !set_steering()) {
    return Status(DOCA_ERROR_TIME_OUT, "the engine of " + title() +
                                           " did not answer within 10 s; the memory is in use");
  }
  return {};
}

bool VirtualNic::wait_until_seen() const {
  const auto deadline = steady_clock::now() + kAnswerLimit;
  while (!engine::has_seen(*engine_, request_)) {
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return true;
}

bool VirtualNic::set_steering() {
  // The table to be filled may be in use as long as the request before has not been seen.
  if (!wait_until_seen()) return false;
  std::vector<uint8_t> positions;
  for (const Running& queue : running_) positions.push_back(queue.position);
  request_ = engine::request_steering(*engine_, positions);
  return wait_until_seen();
}

Status VirtualNic::check(const ReceiveQueueSpec& spec) const {
  if (!spec.gpu || !spec.handle || !spec.descriptors || !spec.completions || !spec.doorbell ||
      spec.max_packet_bytes == 0) {
    return Status(DOCA_ERROR_INVALID_VALUE, "a part of the receive queue is missing");
  }
  if ((1ull << std::min(spec.slots_log2, 63u)) > caps().max_receive_slots) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  title() + ": a receive queue has at most " +
                      std::to_string(caps().max_receive_slots) + " slots");
  }
  if (!spec.gpu->cpu_can_address()) {
    return Status(DOCA_ERROR_NOT_SUPPORTED, title() + " runs on a CPU thread, which cannot reach "
                                                      "the memory of " + spec.gpu->name());
  }
  return {};
}

Result<ReceiveQueueId> VirtualNic::start_receive_queue(const ReceiveQueueSpec& spec) {
  std::lock_guard lock(mutex_);
  const Status valid = check(spec);
  if (!valid.ok()) return valid;
  std::array<bool, engine::kMaxQueues> used = lost_;
  for (const Running& queue : running_) used[queue.position] = true;
  const auto free = std::find(used.begin(), used.end(), false);
  if (free == used.end()) {
    return Status(DOCA_ERROR_FULL, title() + " has " + std::to_string(engine::kMaxQueues) +
                                       " receive queues running, which is all it can");
  }
  const auto position = static_cast<uint8_t>(free - used.begin());
  engine::set_queue(engine_->queues[position], spec);
  running_.push_back({next_id_++, position, spec});
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  if (!set_steering()) {
    running_.pop_back();
    lost_[position] = true;
    return Status(DOCA_ERROR_TIME_OUT, "the engine of " + title() +
                                           " did not answer within 10 s; it may still use the "
                                           "queue's memory");
  }
  return running_.back().id;
}

Status VirtualNic::stop_receive_queue(ReceiveQueueId id, uint64_t consumer) {
  std::lock_guard lock(mutex_);
  const auto queue = std::find_if(running_.begin(), running_.end(),
                                  [id](const Running& candidate) { return candidate.id == id; });
  if (queue == running_.end()) {
    return Status(DOCA_ERROR_BAD_STATE, title() + " runs no such queue");
  }
  const Running stopped = *queue;
  const auto place = running_.erase(queue);
  if (!set_steering()) {
    running_.insert(place, stopped);
    return Status(DOCA_ERROR_TIME_OUT, "the engine of " + title() +
                                           " did not answer within 10 s; the queue is in use");
  }
  // An error completion has an index, but no frame that could be delivered.
  const uint64_t written = engine_->queues[stopped.position].written;
  const uint64_t delivered = std::min(consumer, written);
  delivered_before_ += delivered;
  not_received_ += written - delivered;
  return {};
}

engine::Counters VirtualNic::read_counters() const {
  const engine::Counters& shared = engine_->counters;
  engine::Counters copy{};
  do {
    copy.sequence = observe<Point::kEngineSeen>(&shared.sequence);
    copy.frames = observe<Point::kEngineSeen>(&shared.frames);
    copy.bytes = observe<Point::kEngineSeen>(&shared.bytes);
    copy.written = observe<Point::kEngineSeen>(&shared.written);
    for (unsigned cause = 0; cause < kDropCauses; ++cause) {
      copy.dropped[cause] = observe<Point::kEngineSeen>(&shared.dropped[cause]);
    }
  } while (copy.sequence % 2 != 0 || peek(&shared.sequence) != copy.sequence);
  return copy;
}

NicCounters VirtualNic::counters() const {
  std::lock_guard lock(mutex_);
  NicCounters counters;
  counters.delivered = delivered_before_;
  // Consumer indices first: what they count, the engine has counted as written before.
  for (const Running& queue : running_) {
    counters.delivered += queue.spec.gpu->load_word(&queue.spec.handle->consumer);
  }
  const engine::Counters counted = read_counters();
  for (unsigned cause = 0; cause < kDropCauses; ++cause) {
    counters.dropped[cause] = counted.dropped[cause];
  }
  counters.dropped[static_cast<unsigned>(Drop::kNotReceivedBeforeStop)] += not_received_;
  counters.in_flight = counted.written - counters.delivered - not_received_;
  counters.bytes = counted.bytes;
  counters.frames = counted.frames;
  return counters;
}

bool VirtualNic::ring_is_empty() const {
  const auto& rx = link_->port().rx;
  return observe<Point::kWireRxProducer>(rx.producer) ==
         observe<Point::kWireRxConsumer>(rx.consumer);
}

void VirtualNic::run() {
  pthread_setname_np(pthread_self(), name_.c_str());
  unsigned idle = 0;
  uint32_t blocked_on = 0;
  bool warned = false;
  steady_clock::time_point blocked_since;
  while (!stop_.load(std::memory_order_relaxed)) {
    const bool pumped = link_->pump();
    const uint32_t moved = driver_->run(*engine_);
    if (moved != 0 || pumped) {
      idle = 0;
      blocked_on = 0;
      continue;
    }
    const uint32_t blocked = peek(&engine_->control.blocked_on);
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
  log_warning(title() + " (" + spec_ + ") has waited for 1 s: receive queue " +
              std::to_string(blocked_on - 1) + " is full (" + std::to_string(queue.written) +
              " frames written, none of its " + std::to_string(1u << queue.slots_log2) +
              " slots given back); is its kernel still calling recv? speed=recorded drops frames "
              "instead of waiting");
}

}  // namespace warpnic
