// Running all blocks of one launch: resident at the same time up to WARPNIC_CPU_MAX_BLOCKS.
#pragma once

#include "kernel.h"

namespace warpnic::cpu {

/// Runs the launch to its end; the calling OS thread runs blocks too.
void run_grid(const Launch& launch);

}  // namespace warpnic::cpu
