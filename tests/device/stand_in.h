// SPDX-License-Identifier: Apache-2.0
// A NIC's half of a receive queue, written for the test alone: it fills slots and completions by
// the formats and obeys the doorbell record. It shares no code with the engine.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "../executor/kit.h"
#include "doca_eth_rxq.h"
#include "warpnic/format/handle.h"
#include "warpnic/port/order.h"

/// What packet `index` looks like.
inline __host__ __device__ uint32_t packet_bytes(uint64_t index) {
  return 60 + static_cast<uint32_t>(index % 5);
}
inline __host__ __device__ uint64_t packet_time(uint64_t index) { return 1000000 + index * 7; }

class StandIn {
 public:
  static constexpr uint32_t kStride = 64;

  /// A queue that has brought `first` packets before, if not new.
  StandIn(uint32_t slots_log2, uint32_t hold_back, uint64_t first = 0)
      : slots_(1u << slots_log2),
        packets_(slots_ * kStride / 8),
        completions_(slots_),
        doorbell_(1),
        heartbeat_(1),
        written_(1),
        handle_(1),
        limit_(first + slots_ - hold_back),
        next_(first) {
    using namespace warpnic;
    for (uint32_t i = 0; i < slots_; ++i) completions_[i].tail.fields.op_own = kCqeInvalid << 4;
    doorbell_->receive = Big<uint32_t>::of(doorbell_count(limit_));
    ReceiveHandle handle{};
    handle.size = sizeof handle;
    handle.version = kReceiveHandleVersion;
    handle.packets = reinterpret_cast<uint64_t>(packets_.get());
    handle.completions = completions_.get();
    handle.doorbell = doorbell_.get();
    handle.heartbeat = heartbeat_.get();
    handle.stride_bytes = kStride;
    handle.slots_log2 = slots_log2;
    handle.hold_back = hold_back;
    handle.mkey_be = 0x12345678;
    handle.consumer = first;
    handle.released = first;
    *handle_ = handle;
  }

  doca_gpu_eth_rxq* queue() { return reinterpret_cast<doca_gpu_eth_rxq*>(handle_.get()); }
  warpnic::ReceiveHandle& handle() { return *handle_; }

  /// Writes packets up to index `end`, each as soon as the doorbell allows. False if it did not
  /// get through within a minute and a half.
  bool write_until(uint64_t end) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    while (next_ < end) {
      beat();
      if (next_ == limit_) {
        observe_limit();
        if (next_ == limit_) {
          if (std::chrono::steady_clock::now() > deadline) return false;
          std::this_thread::yield();
          continue;
        }
      }
      write_packet();
    }
    return true;
  }

  void write_error(uint8_t syndrome, uint8_t vendor_syndrome) {
    complete(warpnic::kCqeResponseError, uint64_t{vendor_syndrome} << 8 | syndrome);
  }

  /// Waits until the doorbell allows slots up to `limit`, observing none before that one.
  bool await_limit_unseen(uint64_t limit) {
    using namespace warpnic;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
    const uint32_t raw = Big<uint32_t>::of(doorbell_count(limit)).raw;
    while (peek(&doorbell_->receive.raw) != raw) {
      beat();
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    observe_limit();
    return true;
  }
  /// Packets written so far; a kernel may observe it.
  const uint64_t* written() const { return written_.get(); }

  void beat() { warpnic::note(heartbeat_.get(), warpnic::peek(heartbeat_.get()) + 1); }
  uint64_t next() const { return next_; }

 private:
  void observe_limit() {
    using namespace warpnic;
    const uint32_t raw = observe<Point::kReceiveDoorbell>(&doorbell_->receive.raw);
    limit_ = doorbell_index(limit_, Big<uint32_t>{raw}.get());
  }
  void write_packet() {
    uint64_t* slot = packets_.get() + (next_ % slots_) * kStride / 8;
    for (uint32_t word = 0; word < kStride / 8; ++word) slot[word] = next_ * 1000 + word;
    complete(warpnic::kCqeResponseSend, packet_time(next_));
  }
  void complete(uint8_t opcode, uint64_t time) {
    using namespace warpnic;
    Completion& entry = completions_[next_ % slots_];
    entry.byte_cnt = Big<uint32_t>::of(packet_bytes(next_));
    entry.timestamp = Big<uint64_t>::of(time);
    CompletionTail tail{};
    tail.fields.wqe_counter = Big<uint16_t>::of(static_cast<uint16_t>(next_));
    tail.fields.op_own = static_cast<uint8_t>(
        opcode << 4 | cqe_owner_of(next_, static_cast<uint32_t>(__builtin_ctz(slots_))));
    ++next_;
    publish<Point::kCompletionOwner>(&entry.tail.word, tail.word);
    publish<Point::kUser>(written_.get(), next_);
  }

  uint32_t slots_;
  Pinned<uint64_t> packets_;
  Pinned<warpnic::Completion> completions_;
  Pinned<warpnic::DoorbellRecord> doorbell_;
  Pinned<uint64_t> heartbeat_;
  Pinned<uint64_t> written_;
  Pinned<warpnic::ReceiveHandle> handle_;
  uint64_t limit_;
  uint64_t next_;
};
