// When a lane gives way, and when the block's OS thread rests.
//
// Device code counts basic blocks down in warpnic_cpu_budget; below zero it comes here, so a lane
// that spins never starves its neighbours. Once every ready lane had a turn, the OS thread may rest:
// often when lanes say themselves that they wait (warpnic_cpu_yield), rarely when they were forced.
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>
#include <x86intrin.h>

#include "block.h"
#include "options.h"
#include "warpnic_cpu.h"

extern "C" {
__attribute__((visibility("default"), tls_model("initial-exec"))) __thread int warpnic_cpu_budget;
WARPNIC_CPU_CALL void warpnic_cpu_nanosleep(unsigned int nanoseconds);
WARPNIC_CPU_CALL long long warpnic_cpu_clock(void);
WARPNIC_CPU_CALL void warpnic_cpu_trap(const char* reason);
WARPNIC_CPU_CALL void warpnic_cpu_forced_yield(const void* place);
}

namespace warpnic::cpu {
namespace {

constexpr uint64_t kWaitingCycles = 1500;   // about half a microsecond
constexpr uint64_t kForcedCycles = 60000;   // about 20 microseconds
constexpr long kSleepNs = 2000;

int next_budget(Block& block) {
  const int quantum = options().quantum;
  if (options().seed == 0) {
    return quantum;
  }
  return 1 + static_cast<int>(next_random(block) % (2 * static_cast<unsigned>(quantum)));
}

void watch(Worker& worker, uint64_t now) {
  const Block& block = worker.block;
  if (worker.watched_meetings != block.meetings) {
    worker.watched_meetings = block.meetings;
    worker.watched_at_ns = now;
    return;
  }
  const bool somebody_waits = block.ready.size() + 1 < block.live;
  const auto limit = static_cast<uint64_t>(options().watchdog_s) * 1000000000u;
  if (somebody_waits && !worker.watchdog_spoke && now - worker.watched_at_ns > limit) {
    worker.watchdog_spoke = true;
    report_block(block, "watchdog: lanes wait for others that do not arrive");
  }
}

// sched_yield alone leaves two spinning threads on one core for whole time slices; a real sleep of
// a few microseconds now and then lets the system place them apart.
void rest(Worker& worker, bool explicit_call) {
  const uint64_t cycles = __rdtsc();
  const uint64_t least = explicit_call ? kWaitingCycles : kForcedCycles;
  if (cycles - worker.rested_at_cycles < least) {
    if (explicit_call) {
      _mm_pause();  // it waits; a lane that was only interrupted goes on with its work
    }
    return;
  }
  const uint64_t now = monotonic_ns();
  const int64_t sleep_every_us = options().sleep_every_us;
  if (sleep_every_us > 0 &&
      now - worker.slept_at_ns > static_cast<uint64_t>(sleep_every_us) * 1000) {
    const timespec pause{0, kSleepNs};
    nanosleep(&pause, nullptr);
    worker.slept_at_ns = monotonic_ns();
  } else {
    sched_yield();
  }
  if (options().watchdog_s > 0) {
    watch(worker, now);
  }
  worker.rested_at_cycles = __rdtsc();
}

}  // namespace

uint64_t monotonic_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

void yield_start_block(Worker& worker) {
  if (worker.slept_at_ns == 0) {
    prctl(PR_SET_TIMERSLACK, 1000ul);  // or a sleep of 2 us takes 50
  }
  worker.slept_at_ns = worker.watched_at_ns = monotonic_ns();
  worker.watched_meetings = worker.block.meetings;
  worker.watchdog_spoke = false;
  worker.yields_in_round = 0;
  warpnic_cpu_budget = next_budget(worker.block);
}

void yield_end_block() { warpnic_cpu_budget = 0; }

void yield_lane(Worker& worker, const void* place, bool explicit_call) {
  Block& block = worker.block;
  Lane& lane = *worker.current;
  lane.place = place;
  warpnic_cpu_budget = next_budget(block);
  if (++worker.yields_in_round > block.ready.size()) {
    worker.yields_in_round = 0;
    rest(worker, explicit_call);
  }
  if (block.ready.size() != 0) {
    make_ready(block, &lane);
    schedule(worker);
  }
}

}  // namespace warpnic::cpu

using warpnic::cpu::current_worker;

void warpnic_cpu_forced_yield(const void* place) {
  if (current_worker != nullptr && current_worker->current != nullptr) {
    yield_lane(*current_worker, place, false);
  }
}

void warpnic_cpu_yield(void) {
  if (current_worker != nullptr && current_worker->current != nullptr) {
    yield_lane(*current_worker, __builtin_return_address(0), true);
  } else {
    sched_yield();
  }
}

unsigned int warpnic_cpu_lane(void) {
  return current_worker != nullptr && current_worker->current != nullptr
             ? current_worker->current->lane
             : 0;
}

uint64_t warpnic_cpu_globaltimer(void) {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

void warpnic_cpu_nanosleep(unsigned int nanoseconds) {
  const uint64_t end = warpnic::cpu::monotonic_ns() + nanoseconds;
  do {
    warpnic_cpu_yield();
  } while (warpnic::cpu::monotonic_ns() < end);
}

long long warpnic_cpu_clock(void) { return static_cast<long long>(__rdtsc()); }

void warpnic_cpu_trap(const char* reason) {
  if (current_worker != nullptr && current_worker->current != nullptr) {
    current_worker->current->place = __builtin_return_address(0);
    warpnic::cpu::report_and_abort(current_worker->block, reason);
  }
  __builtin_trap();
}
