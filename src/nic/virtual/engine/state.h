// SPDX-License-Identifier: Apache-2.0
// What the engine works on. All state lies in memory between two steps, so that a step can be taken
// by a CPU thread or by a kernel. Who writes what: docs/ordering.md.
// Next: setup.h is the host's side of it, receive.h the engine's.
#pragma once

#include "nic/drop.h"
#include "parse.h"
#include "warpnic/format/mlx5_cqe.h"
#include "warpnic/format/mlx5_doorbell.h"
#include "warpnic/format/mlx5_wqe.h"
#include "warpnic/format/wire_ring.h"

namespace warpnic::engine {

constexpr unsigned kMaxQueues = 64;
constexpr unsigned kMaxRegions = 256;
constexpr unsigned kIndirections = 128;
constexpr unsigned kBatch = 32;

/// Memory that descriptors may name. The key's bits 15..8 are the position in Engine::regions; key
/// 0: free. Host only; the engine reads.
struct Region {
  uint64_t base;
  uint64_t bytes;
  uint32_t key;
};

/// One receive queue. The host writes it before the queue is in a steering table; from then on,
/// until it is in none, it is the engine's.
struct alignas(64) Queue {
  const ReceiveDescriptor* descriptors;
  Completion* completions;
  const DoorbellRecord* doorbell;
  uint32_t slots_log2;
  uint32_t max_packet_bytes;
  uint64_t next;     ///< index of the next completion
  uint64_t limit;    ///< frames below this index may be written, as last read from the doorbell
  uint64_t written;  ///< frames written, which an error completion is not
  uint32_t failed;   ///< 1: an error completion was written, nothing more will be
};

/// Which queue takes which frame. The host fills the table that is not in use.
struct Steering {
  uint32_t running;                 ///< queues in the table
  uint8_t queue_of[kIndirections];  ///< low bits of the hash -> position in Engine::queues
};

/// Words between host and engine, a line for each direction.
struct alignas(64) Control {
  uint64_t request;  ///< host: number of the newest steering table, tables[request & 1]
  Steering tables[2];
  alignas(64) uint64_t seen;  ///< engine: the table it works with
  uint64_t heartbeat;         ///< engine: grows with every step
  uint32_t blocked_on;        ///< engine: 1 + position of the queue that stops the link; 0 none
};

/// Counted by the engine, read by the host. `sequence` is odd while the others change, so that the
/// host can tell figures that belong together.
struct alignas(64) Counters {
  uint64_t sequence;
  uint64_t frames;
  uint64_t bytes;
  uint64_t written;  ///< to all queues together; returned by recv or yet to be
  uint64_t dropped[kDropCauses];
};

/// A frame of the batch, between the phases of a step.
struct BatchEntry {
  const uint8_t* frame;
  uint8_t* slot;          ///< null: nothing is copied
  uint64_t address;       ///< of the frame in the area, to be given back
  uint64_t index;
  uint64_t timestamp_ns;  ///< 0: the link does not know
  uint32_t bytes;
  uint32_t readable;      ///< bytes rounded up to 16, where the area has them; else bytes
  uint32_t copy_bytes;    ///< readable, where the slot has room for it; else bytes
  Headers headers;
  uint8_t queue;
  uint8_t cause;          ///< Drop, if not to be delivered; else kDeliver
  uint8_t syndrome;       ///< not 0: an error completion goes to the queue
  uint8_t vendor_syndrome;
};
constexpr uint8_t kDeliver = 0xff;

/// One port and its queues.
struct Engine {
  WirePort port;
  bool lossless;
  uint64_t table;  ///< number of the steering table in use
  const Steering* steering;
  Toeplitz rss;
  Region regions[kMaxRegions];
  Queue queues[kMaxQueues];
  BatchEntry batch[kBatch];
  uint32_t batch_frames;  ///< leader -> lanes
  uint32_t batch_taken;   ///< leader -> lanes
  Control control;
  Counters counters;
};

}  // namespace warpnic::engine
