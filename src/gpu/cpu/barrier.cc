// __syncthreads and its counting forms. Only lanes that have not exited are waited for, as on
// sm_70 and later; lanes may meet at different call sites.
#include "block.h"
#include "sanitizer.h"
#include "warpnic_cpu.h"

namespace warpnic::cpu {
namespace {

enum BarrierKind { kPlain, kCount, kAnd, kOr };

int outcome(const Barrier& barrier) {
  switch (barrier.kind) {
    case kAnd:
      return barrier.sum == static_cast<int>(barrier.arrived);
    case kOr:
      return barrier.sum != 0;
    case kCount:
    case kPlain:
      break;
  }
  return barrier.sum;
}

void release(Block& block) {
  Barrier& barrier = block.barrier;
  const int result = outcome(barrier);
  Lane* lane = barrier.first;
  barrier.arrived = 0;
  barrier.sum = 0;
  barrier.first = barrier.last = nullptr;
  block.meetings++;
  while (lane != nullptr) {
    Lane* next = lane->next_waiting;
    lane->result = result;
    make_ready(block, lane);
    lane = next;
  }
}

}  // namespace

void barrier_lane_exited(Block& block) {
  // It counts as having arrived at every later barrier, with all it did before.
  sanitizer::release(&block.barrier);
  if (block.barrier.arrived != 0 && block.barrier.arrived >= block.live) {
    release(block);
  }
}

}  // namespace warpnic::cpu

extern "C" WARPNIC_CPU_CALL int warpnic_cpu_barrier(int predicate, int kind) {
  using namespace warpnic::cpu;
  Worker* worker = current_worker;
  if (worker == nullptr || worker->current == nullptr) {
    return predicate;
  }
  Block& block = worker->block;
  Barrier& barrier = block.barrier;
  Lane& lane = *worker->current;
  lane.place = __builtin_return_address(0);
  lane.operation = kind;
  lane.state = LaneState::kAtBarrier;
  if (barrier.arrived != 0 && barrier.kind != kind) {
    report_and_abort(block, "lanes met at different kinds of block barrier");
  }
  sanitizer::release(&barrier);
  barrier.kind = kind;
  barrier.arrived++;
  barrier.sum += predicate;
  lane.next_waiting = nullptr;
  (barrier.last != nullptr ? barrier.last->next_waiting : barrier.first) = &lane;
  barrier.last = &lane;
  if (barrier.arrived >= block.live) {
    release(block);
  }
  schedule(*worker);
  sanitizer::acquire(&barrier);
  return lane.result;
}
