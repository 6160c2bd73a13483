// SPDX-License-Identifier: Apache-2.0
// What is behind the opaque types: each holds a reference to what it stands for, so that the order
// in which a program gives them back does not matter.
#pragma once

#include <memory>

#include "api/guard.h"
#include "core/context.h"
#include "core/gpu_context.h"
#include "core/memory_map.h"
#include "core/progress.h"
#include "nic/nic.h"

/// Part of a list or of an open device.
struct doca_devinfo {
  explicit doca_devinfo(std::shared_ptr<warpnic::Nic> of) : nic(std::move(of)) {
    warpnic::api::Objects<doca_devinfo>::enter(this);
  }
  ~doca_devinfo() { warpnic::api::Objects<doca_devinfo>::leave(this); }
  doca_devinfo(const doca_devinfo&) = delete;
  doca_devinfo& operator=(const doca_devinfo&) = delete;

  const std::shared_ptr<warpnic::Nic> nic;
};

struct doca_dev {
  explicit doca_dev(std::shared_ptr<warpnic::Nic> nic) : info(std::move(nic)) {}
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

namespace warpnic::api {

/// Objects that are contexts are known as such, too.
template <class T>
T* add_context(std::unique_ptr<T> object) {
  const doca_ctx* const context = object.get();
  Objects<doca_ctx>::enter(context);
  try {
    return Objects<T>::add(std::move(object));
  } catch (...) {
    Objects<doca_ctx>::leave(context);
    throw;
  }
}
template <class T>
void remove_context(T* object) {
  Objects<doca_ctx>::leave(object);
  Objects<T>::remove(object);
}

}  // namespace warpnic::api
