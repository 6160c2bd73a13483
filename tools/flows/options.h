// SPDX-License-Identifier: Apache-2.0
// What `warpnic flows` was asked to do.
#pragma once

#include <cstdint>
#include <string>

#include "kernel.h"

namespace flows {

struct Options {
  std::string nic;           ///< spec of a virtual NIC
  std::string gpu = "auto";  ///< auto, cpu, cuda:N
  unsigned queues = 1;
  unsigned slot_bytes = 2048;
  double duration_s = 0;     ///< 0: until the link ends, or Ctrl-C
  unsigned top = 20;         ///< flows in the text table
  bool json = false;
  ExecScope scope = ExecScope::kThread;
  unsigned table_flows = 65536;  ///< room for each queue; a power of two
  unsigned delay_ms = 0;
};

/// Runs the job and prints its result. Returns the program's exit status.
int run(const Options& options);

}  // namespace flows
