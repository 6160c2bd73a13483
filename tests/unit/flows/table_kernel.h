// SPDX-License-Identifier: Apache-2.0
// Many lanes add frames to one table.
#pragma once

#include <cuda_runtime_api.h>

#include "flows/table.h"

namespace flows {

struct AddPlan {
  Table table;
  uint32_t flows;   ///< frame i belongs to flow i % flows
  uint32_t frames;  ///< in all; frame i has 60 + i % 7 bytes and the time time_of(i)
};

/// Times that go up and down.
WARPNIC_DEVICE uint64_t time_of(uint32_t frame) { return 1000 + frame * 7919u % 65521u; }

/// The key of flow number `flow`; every other one is of IPv6.
WARPNIC_DEVICE Key key_of(uint32_t flow) {
  Key key = {};
  key.address[0] = flow % 97;
  key.address[2] = flow / 97;
  const auto version = static_cast<uint8_t>(flow % 2 == 0 ? 4 : 6);
  if (version == 6) key.address[3] = flow;
  key.last = Key::make_last(static_cast<uint16_t>(flow), 80, 6, version);
  return key;
}

/// One frame, the way count_frame does it.
template <bool kShared>
WARPNIC_DEVICE void add_one(const AddPlan& plan, uint32_t frame) {
  const uint32_t bytes = 60 + frame % 7;
  const Key key = key_of(frame % plan.flows);
  if (!add_frame<kShared>(plan.table, key, hash(key), bytes, time_of(frame))) {
    add<kShared>(&plan.table.totals->untracked_frames, 1);
    add<kShared>(&plan.table.totals->untracked_bytes, bytes);
  }
}

cudaError_t start_adding(const AddPlan& plan, unsigned blocks, unsigned lanes);

}  // namespace flows
