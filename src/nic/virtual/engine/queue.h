// SPDX-License-Identifier: Apache-2.0
// The engine's side of one receive queue: free slots, where a slot lies, and completions.
// Used by receive.h.
#pragma once

#include "state.h"
#include "warpnic/port/order.h"

namespace warpnic::engine {

/// The engine's own reasons for an error completion, in vendor_err_synd.
enum VendorSyndrome : uint8_t {
  kVendorUnknownKey = 1,   ///< no memory is registered under the descriptor's key
  kVendorOutOfBounds = 2,  ///< the descriptor names bytes outside that memory
  kVendorShortSlot = 3,    ///< the frame is longer than the descriptor's byte count
};

/// Whether queue has a free slot; asks the doorbell only when the last answer is used up.
WARPNIC_DEVICE bool has_slot(Queue& queue) {
  if (queue.next != queue.limit) return true;
  const uint32_t count =
      Big<uint32_t>{observe<Point::kReceiveDoorbell>(&queue.doorbell->receive.raw)}.get();
  queue.limit = doorbell_index(queue.limit, count);
  return queue.next != queue.limit;
}

/// 0, or why the descriptor cannot take `bytes`: VendorSyndrome << 8 | CqeSyndrome.
WARPNIC_DEVICE uint32_t check_descriptor(const Engine& engine, uint64_t address, uint32_t room,
                                         uint32_t key, uint32_t bytes) {
  const Region& region = engine.regions[(key >> 8) & (kMaxRegions - 1)];
  if (key == 0 || peek(&region.key) != key) {
    return uint32_t{kVendorUnknownKey} << 8 | kSyndromeLocalProtection;
  }
  const uint64_t base = peek(&region.base);
  const uint64_t size = peek(&region.bytes);
  if (address < base || room > size || address - base > size - room) {
    return uint32_t{kVendorOutOfBounds} << 8 | kSyndromeLocalProtection;
  }
  if (bytes > room) return uint32_t{kVendorShortSlot} << 8 | kSyndromeLocalLength;
  return 0;
}

/// Reads the descriptor of the entry's slot and decides where the frame goes, or that it fails.
WARPNIC_DEVICE void place_in_slot(const Engine& engine, BatchEntry* entry) {
  const Queue& queue = engine.queues[entry->queue];
  const ReceiveDescriptor& descriptor =
      queue.descriptors[entry->index & ((uint64_t{1} << queue.slots_log2) - 1)];
  const uint64_t address = descriptor.addr.get();
  const uint32_t room = descriptor.byte_count.get();
  const uint32_t wrong =
      check_descriptor(engine, address, room, descriptor.lkey.get(), entry->bytes);
  if (wrong != 0) {
    entry->syndrome = static_cast<uint8_t>(wrong);
    entry->vendor_syndrome = static_cast<uint8_t>(wrong >> 8);
    return;
  }
  entry->slot = reinterpret_cast<uint8_t*>(static_cast<uintptr_t>(address));
  entry->copy_bytes = entry->readable <= room ? entry->readable : entry->bytes;
}

/// Writes the completion of a frame, or of a descriptor that could not be used.
WARPNIC_DEVICE void complete(const Queue& queue, const BatchEntry& entry) {
  const uint64_t position = entry.index & ((uint64_t{1} << queue.slots_log2) - 1);
  Completion* const out = &queue.completions[position];
  __builtin_memset(static_cast<void*>(out), 0, offsetof(Completion, tail));
  CqeOpcode opcode = kCqeResponseSend;
  if (entry.syndrome != 0) {
    opcode = kCqeResponseError;
    uint8_t* const bytes = reinterpret_cast<uint8_t*>(out);
    bytes[kErrorVendorSyndromeOffset] = entry.vendor_syndrome;
    bytes[kErrorSyndromeOffset] = entry.syndrome;
  } else {
    out->rx_hash_result = Big<uint32_t>::of(entry.headers.hash);
    out->rx_hash_type = entry.headers.hash_type;
    out->hds_ip_ext = entry.headers.checks;
    out->l4_hdr_type_etc = entry.headers.kinds;
    out->byte_cnt = Big<uint32_t>::of(entry.bytes);
    out->timestamp = Big<uint64_t>::of(entry.timestamp_ns);
  }
  const CompletionTail tail = make_completion_tail(opcode, entry.index, queue.slots_log2, 0);
  publish<Point::kCompletionOwner, Scope::kSystem>(&out->tail.word, tail.word);
}

}  // namespace warpnic::engine
