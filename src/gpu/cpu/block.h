// One resident block: an OS thread (Worker) that runs the block's CUDA threads (Lane) as fibers.
//
// A lane runs until it yields, waits (barrier or warp operation) or ends; waiting lanes are in no
// queue and cost nothing. lanes.cc creates and switches them, barrier.cc and warp.cc let them meet,
// yield.cc decides when the OS thread rests, report.cc explains a block that cannot go on.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

#include "context.h"
#include "driver_types.h"
#include "kernel.h"

namespace warpnic::cpu {

inline constexpr unsigned kMaxBlockThreads = 1024;
inline constexpr unsigned kWarpLanes = 32;

struct Warp;

enum class LaneState : uint8_t { kReady, kRunning, kAtBarrier, kAtWarpOperation, kExited };

struct Lane {
  Context context;
  Lane* next_waiting = nullptr;
  Warp* warp = nullptr;
  uint3 index{};
  unsigned linear = 0;        ///< thread number in the block
  uint8_t lane = 0;           ///< thread number in the warp
  LaneState state = LaneState::kReady;
  int operation = 0;          ///< kind of barrier or warp operation it waits in
  int result = 0;             ///< of the barrier
  unsigned mask = 0;          ///< of the warp operation
  const void* place = nullptr;  ///< return address of its last call into the runtime
  char* stack = nullptr;
  void* fake_stack = nullptr;  ///< AddressSanitizer's
  void* tsan_fiber = nullptr;
};

/// Lanes of a warp that called one operation with one mask. Kept until all have read the result.
struct Meeting {
  unsigned mask;
  unsigned arrived;
  unsigned nonzero;
  unsigned readers;
  int operation;
  bool complete;
  Lane* lanes[kWarpLanes];
  uint64_t values[kWarpLanes];
};

struct Warp {
  unsigned exited = 0;  ///< also the lanes that a partial warp never had
  unsigned used = 0;    ///< meetings in use
  Meeting meetings[kWarpLanes];
};

struct Barrier {
  unsigned arrived = 0;
  int sum = 0;
  int kind = 0;
  Lane* first = nullptr;
  Lane* last = nullptr;
};

/// Lanes that can run, in turn. With a seed, a random one of the first few is next.
class ReadyQueue {
 public:
  void clear() { begin_ = end_ = 0; }
  unsigned size() const { return end_ - begin_; }
  void push(Lane* lane) { slots_[end_++ % kMaxBlockThreads] = lane; }
  Lane* pop() { return slots_[begin_++ % kMaxBlockThreads]; }
  void bring_forward(unsigned distance) {
    Lane*& first = slots_[begin_ % kMaxBlockThreads];
    Lane*& chosen = slots_[(begin_ + distance) % kMaxBlockThreads];
    Lane* lane = first;
    first = chosen;
    chosen = lane;
  }

 private:
  Lane* slots_[kMaxBlockThreads];
  unsigned begin_ = 0;
  unsigned end_ = 0;
};

struct Block {
  const Launch* launch = nullptr;
  uint3 index{};
  unsigned threads = 0;
  unsigned live = 0;
  ReadyQueue ready;
  Barrier barrier;
  std::vector<Lane> lanes;
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t random = 1;
  uint64_t meetings = 0;  ///< barriers and warp operations completed: what the watchdog looks at
};

/// The shared memory of the block that a worker runs: static variables, then the dynamic part.
class SharedMemory {
 public:
  ~SharedMemory();
  void lay_out(const Image& image, size_t dynamic_bytes);

 private:
  char* memory_ = nullptr;
  size_t capacity_ = 0;
};

struct Worker {
  Worker();
  ~Worker();

  Context main;
  void* main_fake_stack = nullptr;
  void* main_tsan_fiber = nullptr;
  const void* main_stack_bottom = nullptr;
  size_t main_stack_bytes = 0;
  Lane* current = nullptr;
  Lane* previous = nullptr;
  Block block;
  SharedMemory shared;

  // yield.cc
  unsigned yields_in_round = 0;
  uint64_t rested_at_cycles = 0;
  uint64_t slept_at_ns = 0;
  uint64_t watched_meetings = 0;
  uint64_t watched_at_ns = 0;
  bool watchdog_spoke = false;
};

/// The worker of the calling OS thread, null in threads that run no block.
extern __thread Worker* current_worker __attribute__((tls_model("initial-exec")));

/// Runs block number block_number of a launch on the calling OS thread, to its end.
void run_block(const Launch& launch, unsigned block_number);

/// Gives the processor to the next ready lane. The caller has changed its own state before.
void schedule(Worker& worker, bool ends = false);
void make_ready(Block& block, Lane* lane);
void barrier_lane_exited(Block& block);
void warp_lane_exited(Block& block, Lane& lane);

void yield_start_block(Worker& worker);
void yield_end_block();
/// One turn of a lane's loop: lets others run. explicit_call: it said itself that it waits.
void yield_lane(Worker& worker, const void* place, bool explicit_call);

uint64_t monotonic_ns();
uint32_t next_random(Block& block);

/// Says on stderr what every lane of the block does.
void report_block(const Block& block, const char* reason);
[[noreturn]] void report_and_abort(const Block& block, const char* reason);

}  // namespace warpnic::cpu
