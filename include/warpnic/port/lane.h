// SPDX-License-Identifier: Apache-2.0
// Who am I, and how do I agree with my neighbours: groups of lanes that work on one thing.
//
// A group is a small type that is passed by value:
//   kLanes      lanes in the group when all take part
//   lane()      0 .. kLanes-1
//   sync()      barrier of the group; bytes written before it by any lane are visible after it
//   any(p), ballot(p)   agreement; ballot only for groups of at most 32 lanes
//   shuffle(v, source)  value of another lane; groups of at most 32 lanes
//   elect()     barrier; exactly one lane that is present answers true
//   share(leads, v)  barrier; all lanes return the v of the lane for which `leads` holds
//
// SoloLane    one lane: a CUDA thread on its own, or an ordinary CPU thread
// WarpLanes   the lanes of the calling warp that have not exited
// BlockLanes  the block's lanes that have not exited
//
// Exited threads are tolerated: a warp group is formed from the lanes that are there, a block
// barrier counts only threads that have not exited (sm_70 and later, and the CPU executor).
#pragma once

#include <stdint.h>

#include "target.h"

namespace warpnic {

struct SoloLane {
  static constexpr unsigned kLanes = 1;
  WARPNIC_DEVICE_MEMBER unsigned lane() const { return 0; }
  WARPNIC_DEVICE_MEMBER bool elect() const { return true; }
  WARPNIC_DEVICE_MEMBER unsigned share(bool, unsigned value) const { return value; }
  WARPNIC_DEVICE_MEMBER void sync() const {}
  WARPNIC_DEVICE_MEMBER bool any(bool p) const { return p; }
  WARPNIC_DEVICE_MEMBER uint32_t ballot(bool p) const { return p ? 1u : 0u; }
  template <class T>
  WARPNIC_DEVICE_MEMBER T shuffle(T value, unsigned) const {
    return value;
  }
};

}  // namespace warpnic

#if WARPNIC_IN_CUDA_SOURCE
#include "cuda/lane.h"
#endif
