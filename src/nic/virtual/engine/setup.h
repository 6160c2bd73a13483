// SPDX-License-Identifier: Apache-2.0
// The host's side of the engine's state: what it writes before and between steps. One host thread at
// a time (the virtual NIC holds a lock).
#pragma once

#include <cstring>
#include <vector>

#include "nic/nic.h"
#include "state.h"
#include "warpnic/port/order.h"

namespace warpnic::engine {

/// Makes a zeroed Engine ready for its first step.
inline void init(Engine& engine, const WirePort& port, bool lossless) {
  engine.port = port;
  engine.lossless = lossless;
  engine.steering = &engine.control.tables[0];
  toeplitz_init_symmetric(engine.rss);
}

/// Fills an entry of Engine::queues that no steering table names.
inline void set_queue(Queue& queue, const ReceiveQueueSpec& spec) {
  queue = Queue{};
  queue.descriptors = spec.descriptors;
  queue.completions = spec.completions;
  queue.doorbell = spec.doorbell;
  queue.slots_log2 = spec.slots_log2;
  queue.max_packet_bytes = spec.max_packet_bytes;
}

/// Asks for frames to be spread over `positions` (in Engine::queues), in this order. Returns the
/// request's number; the engine works by it once has_seen() says so, and only then may the next
/// request be made.
inline uint64_t request_steering(Engine& engine, const std::vector<uint8_t>& positions) {
  const uint64_t request = peek(&engine.control.request) + 1;
  Steering& table = engine.control.tables[request & 1];
  table.running = static_cast<uint32_t>(positions.size());
  for (unsigned i = 0; i < kIndirections; ++i) {
    table.queue_of[i] = positions.empty() ? 0 : positions[i % positions.size()];
  }
  publish<Point::kQueueState>(&engine.control.request, request);
  return request;
}

inline bool has_seen(const Engine& engine, uint64_t request) {
  return observe<Point::kEngineSeen>(&engine.control.seen) >= request;
}

}  // namespace warpnic::engine
