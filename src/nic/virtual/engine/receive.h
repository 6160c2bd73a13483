// SPDX-License-Identifier: Apache-2.0
// One step of the engine's receive path: up to 32 frames from the RX wire ring into queues. Written
// over a group of lanes; the batch is the same for 1 lane and for 32. Stops 2 to 5 of docs/tour.md.
//
//   take      leader: newest steering table, how many frames are there
//   examine   lane per frame: descriptor, bounds, headers, hash
//   reserve   leader, in the port's order: an index in a queue for each frame, or why not
//   place     lane per frame: the slot's address from the receive descriptor
//   copy      all lanes together, frame by frame
//   complete  lane per frame: completion, owner last
//   finish    leader: counters, ring words
#pragma once

#include "copy.h"
#include "queue.h"
#include "state.h"
#include "warpnic/port/lane.h"
#include "warpnic/port/order.h"
#include "warpnic/port/wait.h"
#include "wire.h"

namespace warpnic::engine {

/// Adopts the newest steering table. Everything of earlier steps is done and counted. Leader only.
WARPNIC_DEVICE void adopt_steering(Engine& engine) {
  const uint64_t request = observe<Point::kQueueState>(&engine.control.request);
  if (request == engine.table) return;
  engine.table = request;
  engine.steering = &engine.control.tables[request & 1];
  note(&engine.control.blocked_on, 0u);
  publish<Point::kEngineSeen>(&engine.control.seen, request);
}

/// Frames that this step looks at. Leader only.
WARPNIC_DEVICE uint32_t take(Engine& engine) {
  if (engine.table == 0) return 0;  // the first queue starts the link
  // A lossless link waits for a queue, and for the one queue that stops it.
  if (engine.lossless) {
    if (engine.steering->running == 0) return 0;
    const uint32_t blocked = peek(&engine.control.blocked_on);
    if (blocked != 0 && !has_slot(engine.queues[blocked - 1])) return 0;
  }
  return wire_frames(engine.port);
}

/// What of a frame does not depend on queues.
WARPNIC_DEVICE void examine(Engine& engine, uint32_t number, BatchEntry* entry) {
  entry->slot = nullptr;
  entry->syndrome = 0;
  entry->cause = kDeliver;
  if (!wire_descriptor(engine.port, number, entry)) {
    entry->cause = static_cast<uint8_t>(Drop::kBadDescriptor);
  }
}

/// Why the frame gets no index of its queue, or kDeliver. kNoFreeSlot may be waited for.
WARPNIC_DEVICE uint8_t reserve_one(Engine& engine, BatchEntry* entry) {
  const Steering& steering = *engine.steering;
  if (steering.running == 0) return static_cast<uint8_t>(Drop::kQueueStopped);
  entry->queue = steering.queue_of[entry->headers.hash & (kIndirections - 1)];
  Queue& queue = engine.queues[entry->queue];
  if (queue.failed) return static_cast<uint8_t>(Drop::kQueueStopped);
  if (entry->bytes > queue.max_packet_bytes) return static_cast<uint8_t>(Drop::kTooLong);
  if (!has_slot(queue)) return static_cast<uint8_t>(Drop::kNoFreeSlot);
  entry->index = queue.next++;
  const uint64_t position = entry->index & ((uint64_t{1} << queue.slots_log2) - 1);
  prefetch_write(&queue.completions[position]);
  prefetch_read(&queue.descriptors[position]);
  return kDeliver;
}

/// Gives each frame its index, in order. Returns how many frames of the batch are dealt with: less
/// than all where a queue without a slot stops a lossless link. Leader only.
WARPNIC_DEVICE uint32_t reserve(Engine& engine, uint32_t frames) {
  uint32_t blocked = 0;
  uint32_t taken = 0;
  for (; taken < frames; ++taken) {
    BatchEntry& entry = engine.batch[taken];
    if (entry.cause != kDeliver) continue;
    entry.cause = reserve_one(engine, &entry);
    if (entry.cause == static_cast<uint8_t>(Drop::kNoFreeSlot) && engine.lossless) {
      blocked = 1u + entry.queue;
      break;
    }
  }
  note(&engine.control.blocked_on, blocked);
  return taken;
}

/// Descriptors failed: each queue keeps the first failure and gets nothing after it. Leader only.
WARPNIC_DEVICE void settle_failures(Engine& engine, uint32_t taken) {
  for (uint32_t i = 0; i < taken; ++i) {
    BatchEntry& entry = engine.batch[i];
    if (entry.cause != kDeliver) continue;
    Queue& queue = engine.queues[entry.queue];
    if (queue.failed) {
      entry.slot = nullptr;
      entry.syndrome = 0;
    } else if (entry.syndrome != 0) {
      queue.failed = 1;
      queue.next = entry.index + 1;
    } else {
      continue;
    }
    entry.cause = static_cast<uint8_t>(Drop::kQueueStopped);
  }
}

/// Counts the frames dealt with, before anybody can see them delivered. Leader only.
WARPNIC_DEVICE void count(Engine& engine, uint32_t taken) {
  Counters& counters = engine.counters;
  const uint64_t sequence = counters.sequence;
  publish<Point::kEngineSeen>(&counters.sequence, sequence + 1);
  uint64_t bytes = 0;
  uint64_t written = 0;
  for (uint32_t i = 0; i < taken; ++i) {
    const BatchEntry& entry = engine.batch[i];
    bytes += entry.bytes;
    if (entry.cause == kDeliver) {
      ++written;
      ++engine.queues[entry.queue].written;
    } else {
      uint64_t* const dropped = &counters.dropped[entry.cause];
      publish<Point::kEngineSeen>(dropped, *dropped + 1);
    }
  }
  publish<Point::kEngineSeen>(&counters.frames, counters.frames + taken);
  publish<Point::kEngineSeen>(&counters.bytes, counters.bytes + bytes);
  publish<Point::kEngineSeen>(&counters.written, counters.written + written);
  publish<Point::kEngineSeen>(&counters.sequence, sequence + 2);
}

/// One step. Returns the number of frames dealt with, to all lanes.
template <class Lanes>
WARPNIC_DEVICE uint32_t step(Engine& engine, Lanes lanes) {
  const bool leader = lanes.lane() == 0;
  if (leader) {
    adopt_steering(engine);
    note(&engine.control.heartbeat, engine.control.heartbeat + 1);
    engine.batch_frames = take(engine);
  }
  lanes.sync();
  const uint32_t frames = engine.batch_frames;
  const uint32_t first = peek(engine.port.rx.consumer);
  lanes.sync();  // before the leader writes batch_frames again
  if (frames == 0) return 0;

  for (uint32_t i = lanes.lane(); i < frames; i += Lanes::kLanes) {
    examine(engine, first + i, &engine.batch[i]);
  }
  for (uint32_t i = lanes.lane(); i < frames; i += Lanes::kLanes) {
    BatchEntry& entry = engine.batch[i];
    if (entry.cause == kDeliver) {
      entry.headers = parse_headers(engine.rss, entry.frame, entry.bytes);
    }
  }
  lanes.sync();
  if (leader) engine.batch_taken = reserve(engine, frames);
  lanes.sync();
  const uint32_t taken = engine.batch_taken;

  bool failed = false;
  for (uint32_t i = lanes.lane(); i < taken; i += Lanes::kLanes) {
    BatchEntry& entry = engine.batch[i];
    if (entry.cause != kDeliver) continue;
    place_in_slot(engine, &entry);
    if (entry.slot != nullptr) prefetch_write(entry.slot);
    if (entry.timestamp_ns == 0) entry.timestamp_ns = now_ns();
    failed |= entry.syndrome != 0;
  }
  failed = lanes.any(failed);
  lanes.sync();
  if (leader) {
    if (failed) settle_failures(engine, taken);
    count(engine, taken);
  }
  lanes.sync();

  for (uint32_t i = 0; i < taken; ++i) {
    const BatchEntry& entry = engine.batch[i];
    if (entry.slot != nullptr) copy_bytes(lanes, entry.slot, entry.frame, entry.copy_bytes);
  }
  lanes.sync();
  for (uint32_t i = lanes.lane(); i < taken; i += Lanes::kLanes) {
    const BatchEntry& entry = engine.batch[i];
    if (entry.slot != nullptr || entry.syndrome != 0) complete(engine.queues[entry.queue], entry);
  }
  lanes.sync();
  if (leader) wire_give_back(engine, taken);
  lanes.sync();
  return taken;
}

}  // namespace warpnic::engine
