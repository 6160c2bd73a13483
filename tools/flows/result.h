// SPDX-License-Identifier: Apache-2.0
// What the job found, and how it is printed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "options.h"
#include "warpnic/virtual_nic.hpp"

namespace flows {

struct Flow {
  Key key;
  uint64_t frames = 0;
  uint64_t bytes = 0;
  uint64_t first_ns = 0;
  uint64_t last_ns = 0;
};

struct Outcome {
  std::string nic;       ///< spec
  std::string gpu;       ///< name
  warpnic::NicStatistics statistics;
  uint64_t received_frames = 0;  ///< counted by the kernels
  uint64_t malformed = 0;
  uint64_t untracked_frames = 0;
  uint64_t untracked_bytes = 0;
  std::map<uint16_t, uint64_t> non_ip;
  std::vector<Flow> flows;  ///< most frames first
  double elapsed_s = 0;
};

/// Adds what one queue's kernel found. Flows that several queues saw become one.
class Merger {
 public:
  void add(const Entry* entries, const uint64_t* first_ns, uint32_t places, const Totals& totals);
  /// Moves everything into `outcome`, sorted.
  void finish(Outcome& outcome);

 private:
  struct Less {
    bool operator()(const Key& a, const Key& b) const;
  };
  std::map<Key, Flow, Less> flows_;
  Outcome sums_;
};

std::string address_text(const Key& key, bool source);

void print_table(const Outcome& outcome, const Options& options);
void print_json(const Outcome& outcome);

}  // namespace flows
