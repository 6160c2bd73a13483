// SPDX-License-Identifier: Apache-2.0
// What doca_pe stands for: the contexts whose events one thread runs.
#pragma once

#include <vector>

#include "core/status.h"

struct doca_ctx;

namespace warpnic {

/// Used by one thread at a time, together with its contexts.
class ProgressEngine {
 public:
  void add(doca_ctx* context) { contexts_.push_back(context); }
  void remove(const doca_ctx* context);
  /// Disconnects all contexts. IN_USE, and nothing changed, if one is not idle.
  Status close();
  /// True if something was done. Queues on a GPU have nothing to run.
  bool progress() { return false; }

 private:
  std::vector<doca_ctx*> contexts_;
};

}  // namespace warpnic
