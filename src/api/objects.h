// SPDX-License-Identifier: Apache-2.0
// What is behind the opaque types: each holds a reference to what it stands for, so that the order
// in which a program gives them back does not matter.
#pragma once

#include <memory>

#include "api/guard.h"
#include "core/gpu_context.h"
#include "core/memory_map.h"
#include "core/progress.h"
#include "nic/nic.h"

struct doca_devinfo {
  std::shared_ptr<warpnic::Nic> nic;
};

struct doca_dev {
  doca_devinfo info;
};

struct doca_gpu {
  std::shared_ptr<warpnic::GpuContext> context;
};

struct doca_mmap {
  std::shared_ptr<warpnic::MemoryMap> map;
};

struct doca_pe {
  std::shared_ptr<warpnic::ProgressEngine> engine;
};
