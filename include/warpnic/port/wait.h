// SPDX-License-Identifier: Apache-2.0
// Waiting, and the clock. Every loop in device code that waits for somebody else calls
// relax() once per turn: on the CPU executor it lets the other lanes and blocks run, on a
// GPU it costs nothing.
#pragma once

#include <stdint.h>

#include "target.h"

#if WARPNIC_ON_CUDA
#include "cuda/wait.h"
#else
#include "cpu/wait.h"
#endif
