// SPDX-License-Identifier: Apache-2.0
// When a receive queue cannot go on: closed by the host, in fault, or its NIC is silent.
// Used by eth_recv.h while it waits.
#pragma once

#include "../../doca_error.h"
#include "../format/handle.h"
#include "../port/order.h"
#include "../port/wait.h"

namespace warpnic {

/// A NIC whose heartbeat stands still for this long is taken for dead.
constexpr uint64_t kHeartbeatLimitNs = 10ull * 1000 * 1000 * 1000;
/// Two looks at the heartbeat count for at most this much, however far they lie apart: a process
/// that was stopped for an hour (by a debugger, say) must not find its NIC dead.
constexpr uint64_t kHeartbeatStepNs = 100ull * 1000 * 1000;

/// DOCA_SUCCESS, or why the queue takes no further receive.
WARPNIC_DEVICE doca_error_t receive_state(const ReceiveHandle& queue) {
  if (peek(&queue.closed) != 0) return DOCA_ERROR_BAD_STATE;
  if (peek<Scope::kDevice>(&queue.fault) != 0) return DOCA_ERROR_IO_FAILED;
  return DOCA_SUCCESS;
}

/// Puts the queue into fault because of the error completion `entry`. The first fault stays.
WARPNIC_DEVICE void receive_set_fault(ReceiveHandle& queue, const Completion& entry) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&entry);
  const uint32_t fault = kFaultSet | static_cast<uint32_t>(bytes[kErrorVendorSyndromeOffset]) << 8 |
                         bytes[kErrorSyndromeOffset];
  uint32_t none = 0;
  claim_if<Scope::kSystem>(&queue.fault, &none, fault);
}

/// Watches over the wait for a packet.
class ReceiveWatch {
 public:
  WARPNIC_DEVICE_MEMBER ReceiveWatch(const ReceiveHandle& queue, uint64_t timeout_ns)
      : queue_(queue), last_ns_(now_ns()), beat_(peek<Scope::kSystem>(queue.heartbeat)) {
    const uint64_t deadline = last_ns_ + timeout_ns;
    deadline_ns_ = deadline < last_ns_ ? ~uint64_t{0} : deadline;
  }

  /// True when the time is over.
  WARPNIC_DEVICE_MEMBER bool timed_out() const { return last_ns_ >= deadline_ns_; }

  /// One turn of waiting. DOCA_SUCCESS: go on, or timed_out().
  WARPNIC_DEVICE_MEMBER doca_error_t turn() {
    relax();
    const doca_error_t state = receive_state(queue_);
    if (state != DOCA_SUCCESS) return state;
    const uint64_t now = now_ns();
    const uint64_t beat = peek<Scope::kSystem>(queue_.heartbeat);
    const uint64_t step = now > last_ns_ ? now - last_ns_ : 0;
    silent_ns_ += step < kHeartbeatStepNs ? step : kHeartbeatStepNs;
    if (beat != beat_) silent_ns_ = 0;
    beat_ = beat;
    last_ns_ = now;
    return silent_ns_ > kHeartbeatLimitNs ? DOCA_ERROR_TIME_OUT : DOCA_SUCCESS;
  }

 private:
  const ReceiveHandle& queue_;
  uint64_t last_ns_;
  uint64_t deadline_ns_;
  uint64_t beat_;
  uint64_t silent_ns_ = 0;
};

}  // namespace warpnic
