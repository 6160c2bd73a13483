// SPDX-License-Identifier: Apache-2.0
// The engine's end of the wire rings: how many frames are there, which bytes a descriptor names, and
// giving both back. The other end may be another process: each word is read once, and what was read
// is what is checked. Used by receive.h.
#pragma once

#include "state.h"
#include "warpnic/port/order.h"
#include "warpnic/port/prefetch.h"

namespace warpnic::engine {

/// Frames that the batch can have. Leader only.
WARPNIC_DEVICE uint32_t wire_frames(const WirePort& port) {
  const uint32_t there =
      observe<Point::kWireRxProducer>(port.rx.producer) - peek(port.rx.consumer);
  if (there > port.rx.mask + 1) return 0;  // no ring holds that many: a broken producer word
  uint32_t frames = there < kBatch ? there : kBatch;
  if (port.fill.entries != nullptr && frames != 0) {
    const uint32_t used = peek(port.fill.producer) - observe<Point::kWireFillConsumer>(
                                                         port.fill.consumer);
    const uint32_t room = used > port.fill.mask ? 0 : port.fill.mask + 1 - used;
    if (frames > room) frames = room;
  }
  return frames;
}

/// Copies descriptor `number` of the ring once and checks the copy. False: it names no frame.
WARPNIC_DEVICE bool wire_descriptor(const WirePort& port, uint32_t number, BatchEntry* entry) {
  const WireDescriptor* shared = &port.rx.entries[number & port.rx.mask];
  const uint64_t address = peek(&shared->addr);
  const uint32_t bytes = peek(&shared->len);
  const bool has_note = (peek(&shared->options) & kWireHasNote) != 0;
  entry->address = address;
  entry->bytes = 0;
  entry->timestamp_ns = 0;
  if (address > port.area_bytes || bytes > port.area_bytes - address ||
      (has_note && address < sizeof(FrameNote))) {
    return false;
  }
  entry->bytes = bytes;
  entry->frame = port.area + address;
  // Whole pieces are copied faster. Beside an unaligned frame they could reach into the next one.
  const uint64_t rounded = (uint64_t{bytes} + 15) & ~uint64_t{15};
  const bool whole = (address & 15) == 0 && rounded <= port.area_bytes - address;
  entry->readable = whole ? static_cast<uint32_t>(rounded) : bytes;
  prefetch_read(entry->frame);
  if (has_note) {
    FrameNote note;
    __builtin_memcpy(&note, entry->frame - sizeof note, sizeof note);
    entry->timestamp_ns = note.timestamp_ns;
  }
  return true;
}

/// Gives `taken` descriptors and their frames back. Leader only, after all lanes are done with them.
WARPNIC_DEVICE void wire_give_back(Engine& engine, uint32_t taken) {
  const WireRing<uint64_t>& fill = engine.port.fill;
  if (fill.entries != nullptr) {
    uint32_t producer = peek(fill.producer);
    for (uint32_t i = 0; i < taken; ++i) {
      const BatchEntry& entry = engine.batch[i];
      // An address outside the area is no frame, so there is none to give back.
      if (entry.cause == static_cast<uint8_t>(Drop::kBadDescriptor)) continue;
      note(&fill.entries[producer++ & fill.mask], entry.address);
    }
    publish<Point::kWireFillProducer>(fill.producer, producer);
  }
  publish<Point::kWireRxConsumer>(engine.port.rx.consumer,
                                  peek(engine.port.rx.consumer) + taken);
}

}  // namespace warpnic::engine
