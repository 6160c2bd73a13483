// The executor's environment variables, read once. docs/cpu-executor.md explains each of them.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace warpnic::cpu {

struct Options {
  uint32_t seed;            ///< WARPNIC_CPU_SEED: 0 = lanes take turns; else a replayable schedule
  int quantum;              ///< WARPNIC_CPU_QUANTUM: basic blocks before a lane has to yield
  size_t stack_bytes;       ///< WARPNIC_CPU_STACK_KB: stack of one CUDA thread
  unsigned max_blocks;      ///< WARPNIC_CPU_MAX_BLOCKS: blocks of one grid that are resident
  int64_t sleep_every_us;   ///< WARPNIC_CPU_SLEEP_EVERY_US: spinning blocks really sleep; 0 = never
  int64_t watchdog_s;       ///< WARPNIC_CPU_WATCHDOG_S: report lanes that wait that long; 0 = off
  int64_t guarded_stacks;   ///< WARPNIC_CPU_GUARDED_STACKS: stacks that get a guard page
};

const Options& options();

}  // namespace warpnic::cpu
