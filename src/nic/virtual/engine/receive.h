// SPDX-License-Identifier: Apache-2.0
// One step of the engine's receive path: up to 32 frames from the RX wire ring into queues. Written
// over a group of lanes; the batch is the same for 1 lane and for 32. Stops 2 to 5 of docs/tour.md.
//
//   take      leader: how many frames are there; newest steering table
//   examine   lane per frame: descriptor, bounds, headers, queue
//   place     leader, in the port's order: slot for each frame, or why not
//   copy      all lanes together, frame by frame
//   complete  lane per frame: completion, owner last
//   give back leader: ring words and counters
#pragma once

#include "state.h"
#include "warpnic/port/lane.h"
#include "warpnic/port/order.h"
#include "warpnic/port/wait.h"

namespace warpnic::engine {

/// Sixteen bytes at a time; addresses of frames may have any alignment.
struct Chunk {
  uint64_t word[2];
};
WARPNIC_DEVICE Chunk load_chunk(const uint8_t* from) {
  Chunk chunk;
#if WARPNIC_ON_CUDA
  uint8_t* bytes = reinterpret_cast<uint8_t*>(&chunk);
  for (unsigned i = 0; i < sizeof chunk; ++i) bytes[i] = from[i];
#else
  __builtin_memcpy(&chunk, from, sizeof chunk);
#endif
  return chunk;
}

/// Adopts the newest steering table. Leader only.
WARPNIC_DEVICE void adopt_steering(Engine& engine) {
  const uint64_t request = observe<Point::kQueueState>(&engine.control.request);
  if (request == engine.table) return;
  engine.table = request;
  engine.steering = &engine.control.tables[request & 1];
  if (engine.steering->running != 0) engine.had_queue = true;
  publish<Point::kEngineSeen>(&engine.control.seen, request);
}

/// Copies descriptor `i` of the batch once, checks the copy, and looks at the frame.
WARPNIC_DEVICE void examine(Engine& engine, uint32_t consumer, uint32_t i) {
  const WirePort& port = engine.port;
  const WireDescriptor* shared = &port.rx.entries[(consumer + i) & port.rx.mask];
  const uint64_t address = peek(&shared->addr);
  const uint32_t bytes = peek(&shared->len);
  const uint32_t options = peek(&shared->options);
  BatchEntry& entry = engine.batch[i];
  entry.slot = nullptr;
  entry.address = address;
  entry.bytes = bytes;
  entry.syndrome = 0;
  entry.queue = 0;
  const bool note = (options & kWireHasNote) != 0;
  if (address > port.area_bytes || bytes > port.area_bytes - address ||
      (note && address < sizeof(FrameNote))) {
    entry.bytes = 0;
    entry.cause = static_cast<uint8_t>(Drop::kNoQueue);  // a descriptor that names no frame
    return;
  }
  entry.frame = port.area + address;
  const uint64_t rounded = (uint64_t{bytes} + 15) & ~uint64_t{15};
  entry.copy_bytes =
      static_cast<uint32_t>(rounded <= port.area_bytes - address ? rounded : bytes);
  entry.timestamp_ns = 0;
  if (note) {
    entry.timestamp_ns = load_chunk(entry.frame - sizeof(FrameNote)).word[0];
  }
  entry.headers = parse_headers(engine.rss, entry.frame, bytes);
  const Steering& steering = *engine.steering;
  if (steering.running == 0) {
    entry.cause = static_cast<uint8_t>(Drop::kQueueStopped);
    return;
  }
  entry.queue = steering.queue_of[entry.headers.hash & (kIndirections - 1)];
  const Queue& queue = engine.queues[entry.queue];
  entry.cause = bytes > queue.max_packet_bytes ? static_cast<uint8_t>(Drop::kTooLong) : kDeliver;
}

/// Whether queue has a free slot; asks the doorbell only when the last answer is used up.
WARPNIC_DEVICE bool has_slot(Queue& queue) {
  if (queue.next != queue.limit) return true;
  const uint32_t count =
      Big<uint32_t>{observe<Point::kReceiveDoorbell>(&queue.doorbell->receive.raw)}.get();
  queue.limit = doorbell_index(queue.limit, count);
  return queue.next != queue.limit;
}

/// The slot's address, or null where the descriptor names memory that is not registered for it.
WARPNIC_DEVICE uint8_t* slot_of(const Engine& engine, const Queue& queue, uint32_t bytes,
                                uint8_t* syndrome) {
  const uint64_t position = queue.next & ((uint64_t{1} << queue.slots_log2) - 1);
  const ReceiveDescriptor& descriptor = queue.descriptors[position];
  const uint32_t key = descriptor.lkey.get();
  const uint64_t address = descriptor.addr.get();
  const uint32_t room = descriptor.byte_count.get();
  const Region& region = engine.regions[key >> 8 & (kMaxRegions - 1)];
  if (peek(&region.key) != key || address < peek(&region.base) ||
      room > peek(&region.bytes) || address - peek(&region.base) > peek(&region.bytes) - room) {
    *syndrome = kSyndromeLocalProtection;
    return nullptr;
  }
  if (bytes > room) {
    *syndrome = kSyndromeLocalLength;
    return nullptr;
  }
  return reinterpret_cast<uint8_t*>(address);
}

/// Gives each frame its slot, in order. Returns how many frames of the batch are dealt with: less
/// than all where a queue without a slot stops a lossless link. Leader only.
WARPNIC_DEVICE uint32_t place(Engine& engine, uint32_t frames) {
  uint32_t blocked = 0;
  uint32_t taken = 0;
  for (; taken < frames; ++taken) {
    BatchEntry& entry = engine.batch[taken];
    if (entry.cause != kDeliver) continue;
    Queue& queue = engine.queues[entry.queue];
    if (queue.failed) {
      entry.cause = static_cast<uint8_t>(Drop::kQueueStopped);
      continue;
    }
    if (!has_slot(queue)) {
      if (engine.lossless) {
        blocked = 1u + entry.queue;
        break;
      }
      entry.cause = static_cast<uint8_t>(Drop::kNoFreeSlot);
      continue;
    }
    entry.slot = slot_of(engine, queue, entry.bytes, &entry.syndrome);
    entry.index = queue.next++;
    if (entry.slot == nullptr) {
      queue.failed = 1;
      entry.cause = static_cast<uint8_t>(Drop::kQueueStopped);
      continue;
    }
    note(&queue.written, queue.written + 1);
#if !WARPNIC_ON_CUDA
    __builtin_prefetch(entry.slot, 1);
#endif
  }
  note(&engine.control.blocked_on, blocked);
  return taken;
}

/// Copies one frame; the lanes take 16-byte pieces in turn.
template <class Lanes>
WARPNIC_DEVICE void copy_frame(const Lanes& lanes, const BatchEntry& entry) {
  constexpr uint32_t kPiece = sizeof(Chunk);
  const uint32_t whole = entry.copy_bytes & ~(kPiece - 1);
  for (uint32_t at = lanes.lane() * kPiece; at < whole; at += Lanes::kLanes * kPiece) {
    *reinterpret_cast<Chunk*>(entry.slot + at) = load_chunk(entry.frame + at);
  }
  for (uint32_t at = whole + lanes.lane(); at < entry.copy_bytes; at += Lanes::kLanes) {
    entry.slot[at] = entry.frame[at];
  }
}

/// Writes the completion of a frame, or of a descriptor that could not be used.
WARPNIC_DEVICE void complete(const Queue& queue, const BatchEntry& entry) {
  const uint64_t position = entry.index & ((uint64_t{1} << queue.slots_log2) - 1);
  Completion& out = queue.completions[position];
  const uint8_t opcode = entry.syndrome ? kCqeResponseError : kCqeResponseSend;
  out.rx_hash_result = Big<uint32_t>::of(entry.headers.hash);
  out.rx_hash_type = entry.headers.hash_type;
  out.hds_ip_ext = entry.headers.checks;
  out.l4_hdr_type_etc = entry.headers.kinds;
  out.byte_cnt = Big<uint32_t>::of(entry.bytes);
  // An error completion has its syndrome in the last byte of what else is the time.
  out.timestamp = Big<uint64_t>::of(entry.syndrome ? entry.syndrome : entry.timestamp_ns);
  CompletionTail tail;
  tail.fields.sop_drop_qpn = Big<uint32_t>::of(0);
  tail.fields.wqe_counter = Big<uint16_t>::of(static_cast<uint16_t>(entry.index));
  tail.fields.signature = 0;
  tail.fields.op_own =
      static_cast<uint8_t>(opcode << 4 | cqe_owner_of(entry.index, queue.slots_log2));
  publish<Point::kCompletionOwner, Scope::kSystem>(&out.tail.word, tail.word);
}

/// Ring words and counters. Leader only.
WARPNIC_DEVICE void give_back(Engine& engine, uint32_t consumer, uint32_t taken) {
  const WireRing<uint64_t>& fill = engine.port.fill;
  if (fill.entries != nullptr) {
    const uint32_t producer = peek(fill.producer);
    // The ring has room for every frame there is; its reader's word is not needed.
    for (uint32_t i = 0; i < taken; ++i) {
      note(&fill.entries[(producer + i) & fill.mask], engine.batch[i].address);
    }
    publish<Point::kWireFillProducer>(fill.producer, producer + taken);
  }
  publish<Point::kWireRxConsumer>(engine.port.rx.consumer, consumer + taken);
}

/// Counts the frames dealt with, before anybody can see them delivered. Leader only.
WARPNIC_DEVICE void count(Engine& engine, uint32_t taken) {
  Counters& counters = engine.counters;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < taken; ++i) {
    const BatchEntry& entry = engine.batch[i];
    bytes += entry.bytes;
    if (entry.cause != kDeliver) {
      note(&counters.dropped[entry.cause], counters.dropped[entry.cause] + 1);
    }
  }
  note(&counters.bytes, counters.bytes + bytes);
  note(&counters.frames, counters.frames + taken);
}

/// One step. Returns the number of frames dealt with, to all lanes.
template <class Lanes>
WARPNIC_DEVICE uint32_t step(Engine& engine, const Lanes& lanes) {
  const bool leader = lanes.lane() == 0;
  const uint32_t consumer = peek(engine.port.rx.consumer);
  if (leader) {
    adopt_steering(engine);
    note(&engine.control.heartbeat, engine.control.heartbeat + 1);
    const uint32_t producer = observe<Point::kWireRxProducer>(engine.port.rx.producer);
    const uint32_t there = producer - consumer;
    engine.batch_frames = there < kBatch ? there : kBatch;
    // A lossless link waits for a queue; a producer word that claims more than its ring is broken.
    if ((engine.lossless && engine.steering->running == 0) || there > engine.port.rx.mask + 1) {
      engine.batch_frames = 0;
    }
  }
  lanes.sync();
  const uint32_t frames = engine.batch_frames;
  if (frames == 0) {
    lanes.sync();  // before the leader writes batch_frames again
    return 0;
  }

  for (uint32_t i = lanes.lane(); i < frames; i += Lanes::kLanes) examine(engine, consumer, i);
  lanes.sync();
  if (leader) {
    engine.batch_taken = place(engine, frames);
    count(engine, engine.batch_taken);
  }
  lanes.sync();
  const uint32_t taken = engine.batch_taken;

  for (uint32_t i = 0; i < taken; ++i) {
    if (engine.batch[i].slot != nullptr) copy_frame(lanes, engine.batch[i]);
  }
  lanes.sync();
  for (uint32_t i = lanes.lane(); i < taken; i += Lanes::kLanes) {
    BatchEntry& entry = engine.batch[i];
    if (entry.slot == nullptr && entry.syndrome == 0) continue;
    if (entry.timestamp_ns == 0) entry.timestamp_ns = now_ns();
    complete(engine.queues[entry.queue], entry);
  }
  lanes.sync();
  if (leader) give_back(engine, consumer, taken);
  lanes.sync();
  return taken;
}

}  // namespace warpnic::engine
