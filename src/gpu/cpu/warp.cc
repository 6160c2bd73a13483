// Warp operations: the lanes named in a mask meet, exchange one 64-bit value each, and go on.
// Several masks may be under way in one warp, and may overlap: lanes 0 to 15 can still be on their
// way through an operation of their own while others wait for the whole warp.
#include <string.h>

#include "block.h"
#include "sanitizer.h"
#include "warpnic_cpu.h"

namespace warpnic::cpu {
namespace {

bool is_complete(const Warp& warp, const Meeting& meeting) {
  return ((meeting.arrived | warp.exited) & meeting.mask) == meeting.mask;
}

void complete(Block& block, Meeting& meeting) {
  meeting.complete = true;
  meeting.readers = static_cast<unsigned>(__builtin_popcount(meeting.arrived));
  block.meetings++;
  for (unsigned rest = meeting.arrived; rest != 0; rest &= rest - 1) {
    Lane* lane = meeting.lanes[__builtin_ctz(rest)];
    if (lane->state == LaneState::kAtWarpOperation) {
      make_ready(block, lane);
    }
  }
}

/// The meeting that the lane joins: one under way with its mask, or a new one.
unsigned find_meeting(Block& block, Warp& warp, unsigned mask, int operation) {
  for (unsigned rest = warp.used; rest != 0; rest &= rest - 1) {
    const auto number = static_cast<unsigned>(__builtin_ctz(rest));
    const Meeting& meeting = warp.meetings[number];
    if (meeting.complete) {
      continue;
    }
    if (meeting.mask == mask) {
      if (meeting.operation != operation) {
        report_and_abort(block, "lanes of one mask called different warp operations");
      }
      return number;
    }
  }
  const auto number = static_cast<unsigned>(__builtin_ctz(~warp.used));
  warp.used |= 1u << number;
  Meeting& meeting = warp.meetings[number];
  meeting.mask = mask;
  meeting.arrived = 0;
  meeting.nonzero = 0;
  meeting.operation = operation;
  meeting.complete = false;
  return number;
}

}  // namespace

void warp_lane_exited(Block& block, Lane& lane) {
  Warp& warp = *lane.warp;
  // It counts as having arrived at every later meeting, with all it did before.
  sanitizer::release(&warp.exited);
  for (unsigned rest = warp.used; rest != 0; rest &= rest - 1) {
    Meeting& meeting = warp.meetings[__builtin_ctz(rest)];
    if (!meeting.complete && is_complete(warp, meeting)) {
      complete(block, meeting);
    }
  }
}

}  // namespace warpnic::cpu

extern "C" WARPNIC_CPU_CALL unsigned int warpnic_cpu_warp(unsigned int mask, uint64_t value,
                                                          int operation, uint64_t* values,
                                                          unsigned int* arrived) {
  using namespace warpnic::cpu;
  Worker* worker = current_worker;
  if (worker == nullptr || worker->current == nullptr) {
    return 0;
  }
  Block& block = worker->block;
  Lane& lane = *worker->current;
  Warp& warp = *lane.warp;
  const unsigned self = 1u << lane.lane;
  lane.place = __builtin_return_address(0);
  lane.operation = operation;
  lane.mask = mask;
  lane.state = LaneState::kAtWarpOperation;
  if ((mask & self) == 0) {
    report_and_abort(block, "a lane called a warp operation whose mask does not name it");
  }
  const unsigned number = find_meeting(block, warp, mask, operation);
  Meeting& meeting = warp.meetings[number];
  sanitizer::release(&meeting);
  meeting.arrived |= self;
  meeting.nonzero |= value != 0 ? self : 0;
  meeting.values[lane.lane] = value;
  meeting.lanes[lane.lane] = &lane;
  if (is_complete(warp, meeting)) {
    lane.state = LaneState::kRunning;
    complete(block, meeting);
  } else {
    schedule(*worker);
  }
  sanitizer::acquire(&meeting);
  sanitizer::acquire(&warp.exited);  // what lanes did that have exited
  const unsigned result = meeting.nonzero;
  if (values != nullptr) {
    memcpy(values, meeting.values, sizeof meeting.values);
  }
  if (arrived != nullptr) {
    *arrived = meeting.arrived;
  }
  if (--meeting.readers == 0) {
    warp.used &= ~(1u << number);
  }
  return result;
}
