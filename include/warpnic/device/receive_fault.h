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

/// How often to look at the heartbeat: it lies in host memory where the engine is a CPU thread.
constexpr uint64_t kHeartbeatLookNs = 1000 * 1000;

WARPNIC_DEVICE doca_error_t receive_state_of(uint32_t closed, uint32_t fault) {
  return closed != 0 ? DOCA_ERROR_BAD_STATE : fault != 0 ? DOCA_ERROR_IO_FAILED : DOCA_SUCCESS;
}

/// DOCA_SUCCESS, or why the queue takes no further receive.
WARPNIC_DEVICE doca_error_t receive_state(const ReceiveHandle& queue) {
  const uint32_t closed = peek<Scope::kSystem>(&queue.closed);
  const uint32_t fault = peek<Scope::kSystem>(&queue.fault);
  return receive_state_of(closed, fault);
}

/// Puts the queue into fault because of the error completion `entry`. The first fault stays.
WARPNIC_DEVICE void receive_set_fault(ReceiveHandle& queue, const Completion& entry) {
  const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&entry);
  const uint32_t fault = kFaultSet | static_cast<uint32_t>(bytes[kErrorVendorSyndromeOffset]) << 8 |
                         bytes[kErrorSyndromeOffset];
  uint32_t none = 0;
  claim_if<Scope::kSystem>(&queue.fault, &none, fault);
}

/// How long a heartbeat has stood still, by the looks at it. Times are any clock's; one that jumps
/// does no harm.
class Silence {
 public:
  WARPNIC_DEVICE_MEMBER Silence(uint64_t now_ns, uint64_t beat) : last_ns_(now_ns), beat_(beat) {}

  /// Whether it is time for the next look.
  WARPNIC_DEVICE_MEMBER bool is_due(uint64_t now_ns) const {
    return now_ns - last_ns_ >= kHeartbeatLookNs;  // also when the clock was set back
  }

  /// True: the NIC is dead.
  WARPNIC_DEVICE_MEMBER bool look(uint64_t now_ns, uint64_t beat) {
    const uint64_t passed = now_ns > last_ns_ ? now_ns - last_ns_ : 0;
    silent_ns_ += passed < kHeartbeatStepNs ? passed : kHeartbeatStepNs;
    if (beat != beat_) silent_ns_ = 0;
    beat_ = beat;
    last_ns_ = now_ns;
    return silent_ns_ > kHeartbeatLimitNs;
  }

 private:
  uint64_t last_ns_;
  uint64_t beat_;
  uint64_t silent_ns_ = 0;
};

/// Watches over the wait for a packet. Its clock starts with the first turn: a call that finds
/// packets at once reads neither time nor heartbeat.
class ReceiveWatch {
 public:
  WARPNIC_DEVICE_MEMBER ReceiveWatch(const ReceiveHandle& queue, uint64_t timeout_ns)
      : queue_(queue), left_ns_(timeout_ns) {}

  /// True when the time was over before this turn: one look more has been taken since.
  WARPNIC_DEVICE_MEMBER bool is_over() const { return is_over_; }

  /// One turn of waiting, after a look that found nothing. DOCA_SUCCESS: go on, or is_over().
  WARPNIC_DEVICE_MEMBER doca_error_t turn() {
    relax();
    const doca_error_t state = receive_state(queue_);
    if (state != DOCA_SUCCESS) return state;
    const uint64_t now = now_ns();
    is_over_ = left_ns_ == 0;
    if (!has_begun_) {
      silence_ = Silence(now, peek<Scope::kSystem>(queue_.heartbeat));
      has_begun_ = true;
    } else {
      const uint64_t passed = now > last_ns_ ? now - last_ns_ : 0;  // the clock may be set back
      left_ns_ = passed < left_ns_ ? left_ns_ - passed : 0;
    }
    last_ns_ = now;
    if (silence_.is_due(now) && silence_.look(now, peek<Scope::kSystem>(queue_.heartbeat))) {
      return DOCA_ERROR_TIME_OUT;
    }
    return DOCA_SUCCESS;
  }

 private:
  const ReceiveHandle& queue_;
  uint64_t left_ns_;
  uint64_t last_ns_ = 0;
  bool has_begun_ = false;
  bool is_over_ = false;
  Silence silence_{0, 0};
};

}  // namespace warpnic
