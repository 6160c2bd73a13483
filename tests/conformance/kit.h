// SPDX-License-Identifier: Apache-2.0
// What the conformance tests need round a NIC: a GPU whose memory is ordinary memory, a receive queue
// with guards, a link that plays a script, and waiting for a condition.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "nic/nic.h"
#include "nic/virtual/link/link.h"
#include "nic/virtual/virtual_nic.h"
#include "warpnic/device/eth_recv.h"

namespace warpnic::test {

/// Waits until `holds`, for a minute at most. The limit only ends a test that has failed.
inline bool wait_for(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

/// Memory on cache lines, zeroed.
template <class T>
class Lines {
 public:
  explicit Lines(size_t count)
      : data_(static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(64)))) {
    std::memset(static_cast<void*>(data_), 0, count * sizeof(T));
  }
  ~Lines() { ::operator delete(data_, std::align_val_t(64)); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  T* get() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_;
};

/// A GPU that shares its addresses with the CPU, as the CPU executor does.
class PlainGpu final : public Gpu {
 public:
  explicit PlainGpu(bool cpu_can_address = true) : cpu_can_address_(cpu_can_address) {}
  std::string name() const override { return "plain memory"; }
  std::string bus_id() const override { return "0000:ff:1f.0"; }
  Result<GpuMemory> allocate(size_t, size_t, MemoryKind) override { return unused(); }
  Status free(void*) override { return unused(); }
  Status write(void*, const void*, size_t) override { return unused(); }
  Status read(void*, const void*, size_t) override { return unused(); }
  void store_word(uint32_t* word, uint32_t value) override { store_and_fence(word, value); }
  uint32_t load_word(const uint32_t* word) override { return load_and_fence(word); }
  uint64_t load_word(const uint64_t* word) override { return load_and_fence(word); }
  bool cpu_can_address() const override { return cpu_can_address_; }

 private:
  static Status unused() { return Status(DOCA_ERROR_NOT_SUPPORTED, "not part of this test"); }
  bool cpu_can_address_;
};

/// What a test frame says: whose it is, and its number. Behind the Ethernet header.
struct Mark {
  uint32_t flow;
  uint32_t number;
};

/// An Ethernet frame of UDP over IPv4; all frames of a flow have the same hash.
inline std::vector<uint8_t> make_frame(uint32_t flow, uint32_t number, uint32_t bytes) {
  std::vector<uint8_t> frame(bytes, static_cast<uint8_t>(number * 31 + flow));
  const uint8_t head[42] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 8, 0, 0x45, 0,
                            static_cast<uint8_t>((bytes - 14) >> 8),
                            static_cast<uint8_t>(bytes - 14), 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1,
                            10, 0, 0, 2, static_cast<uint8_t>(flow >> 8),
                            static_cast<uint8_t>(flow), 0, 80, 0, 0, 0, 0};
  std::memcpy(frame.data(), head, sizeof head);
  const Mark mark{flow, number};
  std::memcpy(frame.data() + 42, &mark, sizeof mark);
  return frame;
}

/// A link with nothing but what a test puts into it. Filled before the first queue is started.
class ScriptLink final : public Link {
 public:
  struct Options {
    bool lossless = true;
    uint32_t ring_entries = 64;
    uint32_t first_index = 0;    ///< where the ring words begin
    uint32_t fill_frames = 0;    ///< not 0: frames live in so many buffers, given back by FILL
  };
  static constexpr uint32_t kBufferBytes = 2048;

  explicit ScriptLink(const Options& options)
      : options_(options),
        rx_(options.ring_entries),
        fill_(options.ring_entries),
        producer_(options.first_index),
        consumer_(options.first_index),
        fill_producer_(options.first_index),
        fill_consumer_(options.first_index),
        area_(new Lines<uint8_t>(uint64_t{options.fill_frames} * kBufferBytes + 64)),
        area_bytes_(uint64_t{options.fill_frames} * kBufferBytes + 64) {
    for (uint32_t i = 0; i < options.fill_frames; ++i) {
      free_.push_back(uint64_t{i} * kBufferBytes);
    }
    set_port();
  }

  /// Adds a frame to the script. With notes, `time_ns` lies before it.
  void add(const std::vector<uint8_t>& frame, uint64_t time_ns = 0) {
    frames_.push_back(frame);
    times_.push_back(time_ns);
    script_.push_back({frames_.size() - 1, {}});
  }
  /// Adds a descriptor as it is, whatever it names.
  void add_raw(const WireDescriptor& descriptor) { script_.push_back({kRaw, descriptor}); }

  /// Lays the frames out. Call once, after add().
  void finish() {
    if (options_.fill_frames != 0) return;
    uint64_t bytes = 64;
    for (const auto& frame : frames_) bytes += 64 + (frame.size() + 63) / 64 * 64;
    area_ = std::make_unique<Lines<uint8_t>>(bytes);
    area_bytes_ = bytes;
    uint64_t at = 64;
    for (Entry& entry : script_) {
      if (entry.frame == kRaw) continue;
      const auto& frame = frames_[entry.frame];
      entry.descriptor = lay_out(entry.frame, at);
      at += 64 + (frame.size() + 63) / 64 * 64;
    }
    set_port();
  }

  const WirePort& port() const override { return port_; }
  bool lossless() const override { return options_.lossless; }
  bool ended() const override { return ended_.load(std::memory_order_acquire); }

  bool pump() override {
    collect();
    const uint32_t consumer = observe<Point::kWireRxConsumer>(&consumer_);
    uint32_t producer = producer_;
    while (next_ < script_.size() && producer - consumer < options_.ring_entries) {
      Entry& entry = script_[next_];
      if (options_.fill_frames != 0 && entry.frame != kRaw) {
        if (free_.empty()) break;
        entry.descriptor = lay_out(entry.frame, free_.back());
        free_.pop_back();
      }
      rx_[producer++ & (options_.ring_entries - 1)] = entry.descriptor;
      ++next_;
    }
    const bool moved = producer != producer_;
    publish<Point::kWireRxProducer>(&producer_, producer);
    if (next_ == script_.size()) ended_.store(true, std::memory_order_release);
    return moved;
  }

  uint32_t frames_given_back() const { return given_back_.load(); }

 private:
  static constexpr size_t kRaw = ~size_t{0};
  struct Entry {
    size_t frame;
    WireDescriptor descriptor;
  };

  WireDescriptor lay_out(size_t number, uint64_t at) {
    const auto& frame = frames_[number];
    const bool notes = times_[number] != 0;
    uint8_t* base = area_->get();
    if (notes) {
      at += 64;
      const FrameNote frame_note{times_[number], static_cast<uint32_t>(frame.size()), 0};
      std::memcpy(base + at - sizeof frame_note, &frame_note, sizeof frame_note);
    }
    std::memcpy(base + at, frame.data(), frame.size());
    return {at, static_cast<uint32_t>(frame.size()), notes ? uint32_t{kWireHasNote} : 0u};
  }
  void collect() {
    if (options_.fill_frames == 0) return;
    const uint32_t producer = observe<Point::kWireFillProducer>(&fill_producer_);
    while (fill_consumer_ != producer) {
      const uint64_t address = fill_[fill_consumer_ & (options_.ring_entries - 1)];
      free_.push_back(address / kBufferBytes * kBufferBytes);
      publish<Point::kWireFillConsumer>(&fill_consumer_, fill_consumer_ + 1);
      given_back_.fetch_add(1);
    }
  }
  void set_port() {
    const uint32_t mask = options_.ring_entries - 1;
    port_.rx = {&producer_, &consumer_, rx_.data(), mask};
    if (options_.fill_frames != 0) {
      port_.fill = {&fill_producer_, &fill_consumer_, fill_.data(), mask};
    }
    port_.area = area_->get();
    port_.area_bytes = area_bytes_;
  }

  const Options options_;
  std::vector<std::vector<uint8_t>> frames_;
  std::vector<uint64_t> times_;
  std::vector<Entry> script_;
  size_t next_ = 0;
  std::vector<WireDescriptor> rx_;
  std::vector<uint64_t> fill_;
  uint32_t producer_, consumer_, fill_producer_, fill_consumer_;
  std::unique_ptr<Lines<uint8_t>> area_;
  uint64_t area_bytes_;
  std::vector<uint64_t> free_;
  std::atomic<uint32_t> given_back_{0};
  WirePort port_{};
  std::atomic<bool> ended_{false};
};

/// A receive queue in plain memory, set up as src/eth does it, with a guard behind the slots.
class TestQueue {
 public:
  struct Options {
    uint32_t slots_log2 = 4;
    uint32_t slot_bytes = 2048;
    uint32_t hold_back = 0;  ///< 0: a quarter
    uint32_t byte_count = 0; ///< of the descriptors; 0: slot_bytes
    uint32_t max_packet_bytes = 0;  ///< 0: slot_bytes
  };
  static constexpr uint8_t kGuard = 0xa5;
  static constexpr uint32_t kGuardBytes = 256;

  TestQueue(Nic& nic, const Options& options)
      : nic_(nic),
        options_(options),
        slots_(1u << options.slots_log2),
        packets_(uint64_t{slots_} * options.slot_bytes + kGuardBytes),
        descriptors_(slots_),
        completions_(slots_),
        doorbell_(1),
        handle_(1) {
    const uint64_t bytes = uint64_t{slots_} * options.slot_bytes;
    key_ = nic.register_memory(packets_.get(), bytes).value();
    reset();
  }
  ~TestQueue() {
    if (id_ != 0) (void)stop();
    (void)nic_.deregister_memory(key_);
  }
  TestQueue(const TestQueue&) = delete;

  /// As a queue is before its start.
  void reset() {
    const uint64_t bytes = uint64_t{slots_} * options_.slot_bytes;
    std::memset(packets_.get(), kGuard, bytes + kGuardBytes);
    hold_back_ = options_.hold_back ? options_.hold_back : slots_ / 4;
    for (uint32_t i = 0; i < slots_; ++i) {
      descriptors_[i] = make_receive_descriptor(
          reinterpret_cast<uintptr_t>(slot(i)),
          options_.byte_count ? options_.byte_count : options_.slot_bytes, key_);
      std::memset(static_cast<void*>(&completions_[i]), 0xff, sizeof(Completion));
    }
    doorbell_[0].receive = Big<uint32_t>::of(doorbell_count(slots_ - hold_back_));
    ReceiveHandle handle{};
    handle.size = sizeof handle;
    handle.version = kReceiveHandleVersion;
    handle.packets = reinterpret_cast<uintptr_t>(packets_.get());
    handle.completions = completions_.get();
    handle.doorbell = doorbell_.get();
    handle.heartbeat = nic_.heartbeat();
    handle.stride_bytes = options_.slot_bytes;
    handle.slots_log2 = options_.slots_log2;
    handle.hold_back = hold_back_;
    handle.mkey_be = swap_bytes(key_);
    handle_[0] = handle;
  }

  Status start() {
    ReceiveQueueSpec spec;
    spec.gpu = gpu;
    spec.handle = handle_.get();
    spec.descriptors = descriptors_.get();
    spec.completions = completions_.get();
    spec.doorbell = doorbell_.get();
    spec.slots_log2 = options_.slots_log2;
    spec.max_packet_bytes =
        options_.max_packet_bytes ? options_.max_packet_bytes : options_.slot_bytes;
    const Result<ReceiveQueueId> id = nic_.start_receive_queue(spec);
    if (!id.ok()) return id.status();
    id_ = id.value();
    return {};
  }
  Status stop() {
    store_and_fence(&handle_[0].closed, 1u);
    const Status status = nic_.stop_receive_queue(id_, handle_[0].consumer);
    if (status.ok()) id_ = 0;
    return status;
  }

  /// One call of the device API's receive. A microsecond's patience.
  Received receive(uint32_t most = 0) {
    return warpnic::receive<DOCA_GPUNETIO_ETH_RX_ATTR_NONE>(handle_[0], most, 1000, nullptr);
  }
  const Completion& completion(uint64_t index) const { return completions_[index & (slots_ - 1)]; }
  uint8_t* slot(uint64_t index) const {
    return packets_.get() + (index & (slots_ - 1)) * options_.slot_bytes;
  }
  Mark mark(uint64_t index) const {
    Mark mark;
    std::memcpy(&mark, slot(index) + 42, sizeof mark);
    return mark;
  }
  bool guard_is_whole() const {
    const uint8_t* guard = packets_.get() + uint64_t{slots_} * options_.slot_bytes;
    for (uint32_t i = 0; i < kGuardBytes; ++i) {
      if (guard[i] != kGuard) return false;
    }
    return true;
  }
  bool slot_is_untouched(uint64_t index) const {
    for (uint32_t i = 0; i < options_.slot_bytes; ++i) {
      if (slot(index)[i] != kGuard) return false;
    }
    return true;
  }

  uint32_t slots() const { return slots_; }
  uint32_t hold_back() const { return hold_back_; }
  uint32_t key() const { return key_; }
  ReceiveQueueId id() const { return id_; }
  ReceiveDescriptor& descriptor(uint32_t i) { return descriptors_[i]; }
  ReceiveHandle& handle() { return handle_[0]; }

  std::shared_ptr<Gpu> gpu = std::make_shared<PlainGpu>();

 private:
  Nic& nic_;
  const Options options_;
  const uint32_t slots_;
  uint32_t hold_back_ = 0;
  Lines<uint8_t> packets_;
  Lines<ReceiveDescriptor> descriptors_;
  Lines<Completion> completions_;
  Lines<DoorbellRecord> doorbell_;
  Lines<ReceiveHandle> handle_;
  uint32_t key_ = 0;
  ReceiveQueueId id_ = 0;
};

inline uint64_t dropped(const NicCounters& counters, Drop cause) {
  return counters.dropped[static_cast<unsigned>(cause)];
}
inline uint64_t accounted(const NicCounters& counters) {
  uint64_t sum = counters.delivered + counters.in_flight;
  for (const uint64_t count : counters.dropped) sum += count;
  return sum;
}

}  // namespace warpnic::test
