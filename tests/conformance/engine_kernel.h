// SPDX-License-Identifier: Apache-2.0
// Runs the engine's steps in a kernel, from host code that knows nothing of CUDA.
#pragma once

#include <stdint.h>

namespace warpnic {
namespace engine {
struct Engine;
}
}  // namespace warpnic

class KernelEngine {
 public:
  KernelEngine();
  ~KernelEngine();
  KernelEngine(const KernelEngine&) = delete;
  KernelEngine& operator=(const KernelEngine&) = delete;

  /// Steps until no frame moves or most_steps are done, and waits for it. False: a CUDA call failed.
  bool slice(warpnic::engine::Engine* engine, unsigned most_steps, uint32_t* out_moved);

 private:
  void* stream_ = nullptr;
  uint32_t* moved_ = nullptr;
};
