// SPDX-License-Identifier: Apache-2.0
// Causes of lost frames. Apart from nic.h, since the engine counts by them in kernels too.
#pragma once

namespace warpnic {

/// Why a frame that came in was not returned by recv. Names for people: drop_name.
enum class Drop : unsigned {
  kNoFreeSlot,            ///< its queue had no slot that the NIC might write
  kTooLong,               ///< longer than the queue's packet size
  kNoQueue,               ///< no queue takes this kind of frame
  kQueueStopped,          ///< its queue stopped or has a fault
  kNotReceivedBeforeStop, ///< written to a queue, which was stopped before recv returned it
  kBadDescriptor,         ///< the link named bytes outside its area of frames
};
constexpr unsigned kDropCauses = 6;

/// "no free slot", "longer than the slot", "not for any queue", "queue stopped",
/// "not received before the stop", "bad wire descriptor".
const char* drop_name(Drop cause);

}  // namespace warpnic
