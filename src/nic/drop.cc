// SPDX-License-Identifier: Apache-2.0
#include "nic/drop.h"

namespace warpnic {

const char* drop_name(Drop cause) {
  switch (cause) {
    case Drop::kNoFreeSlot: return "no free slot";
    case Drop::kTooLong: return "longer than the slot";
    case Drop::kNoQueue: return "not for any queue";
    case Drop::kQueueStopped: return "queue stopped";
    case Drop::kNotReceivedBeforeStop: return "not received before the stop";
    case Drop::kBadDescriptor: return "bad wire descriptor";
  }
  return "?";
}

}  // namespace warpnic
