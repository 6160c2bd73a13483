// SPDX-License-Identifier: Apache-2.0
// The flow table of one queue, in GPU memory: open addressing, one 64-byte line a flow. Lanes of
// the queue's kernel add to it; the host reads it once the kernel has ended.
//
// kShared says whether several lanes add at the same time. An entry goes from empty to busy (one
// lane writes the key) to filled, which is published; counters are then added to.
#pragma once

#include "parse.h"
#include "warpnic/port/order.h"
#include "warpnic/port/prefetch.h"
#include "warpnic/port/wait.h"

namespace flows {

struct alignas(64) Entry {
  uint64_t address[4];
  uint64_t last;  ///< Key::last; kEmpty, or kBusy while its key is being written
  uint64_t frames;
  uint64_t bytes;
  uint64_t last_ns;
};
static_assert(sizeof(Entry) == 64, "one line a flow");

constexpr uint64_t kEmpty = 0;
constexpr uint64_t kBusy = uint64_t{1} << 63;

/// A queue's counts. Everything begins as zero. 512 KiB of it are the EtherTypes.
struct Totals {
  uint64_t frames;             ///< returned by recv
  uint64_t bytes;
  uint64_t malformed;
  uint64_t untracked_frames;   ///< of flows that found no place in the table
  uint64_t untracked_bytes;
  uint64_t end;                ///< why the kernel ended: status of its last recv
  uint64_t non_ip[65536];      ///< by EtherType
};

struct Table {
  Entry* entries;
  uint64_t* first_ns;   ///< beside entries; written with the key, lowered later if need be
  uint32_t mask;        ///< number of entries - 1
  Totals* totals;
};

/// How far from its first place a flow is looked for.
constexpr uint32_t kProbes = 128;

template <bool kShared>
WARPNIC_DEVICE void add(uint64_t* word, uint64_t value) {
  if (kShared) {
    warpnic::claim(word, value);
  } else {
    *word += value;
  }
}

template <bool kShared>
WARPNIC_DEVICE void raise(uint64_t* word, uint64_t value) {
  if (!kShared) {
    if (*word < value) *word = value;
    return;
  }
  uint64_t seen = warpnic::peek<warpnic::Scope::kDevice>(word);
  while (seen < value && !warpnic::claim_if(word, &seen, value)) {
  }
}

template <bool kShared>
WARPNIC_DEVICE void lower(uint64_t* word, uint64_t value) {
  if (!kShared) {
    if (*word > value) *word = value;
    return;
  }
  uint64_t seen = warpnic::peek<warpnic::Scope::kDevice>(word);
  while (seen > value && !warpnic::claim_if(word, &seen, value)) {
  }
}

WARPNIC_DEVICE uint32_t hash(const Key& key) {
  // Odd constants spread the words, the high half of the product is well mixed.
  uint64_t h = key.last * 0x9e3779b97f4a7c15u;
  h = (h ^ key.address[0]) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 32 ^ key.address[2]) * 0xc4ceb9fe1a85ec53u;
  if (key.version() == 6) {
    h = (h ^ h >> 32 ^ key.address[1]) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32 ^ key.address[3]) * 0xff51afd7ed558ccdu;
  }
  return static_cast<uint32_t>(h >> 32);
}

WARPNIC_DEVICE bool same_addresses(const Entry& entry, const Key& key) {
  return ((entry.address[0] ^ key.address[0]) | (entry.address[1] ^ key.address[1]) |
          (entry.address[2] ^ key.address[2]) | (entry.address[3] ^ key.address[3])) == 0;
}

/// The word that says whose entry it is; waits while another lane writes the key.
template <bool kShared>
WARPNIC_DEVICE uint64_t owner_of(const Entry& entry) {
  if (!kShared) return entry.last;
  uint64_t last = kBusy;
  while ((last = warpnic::observe<warpnic::Point::kUser, warpnic::Scope::kDevice>(&entry.last)) ==
         kBusy) {
    warpnic::relax();
  }
  return last;
}

/// Takes an empty entry for a flow. False if another lane was faster.
template <bool kShared>
WARPNIC_DEVICE bool take(const Table& table, uint32_t place, const Key& key, uint64_t time_ns) {
  Entry& entry = table.entries[place];
  uint64_t empty = kEmpty;
  if (kShared && !warpnic::claim_if(&entry.last, &empty, kBusy)) return false;
  for (int i = 0; i < 4; ++i) entry.address[i] = key.address[i];
  table.first_ns[place] = time_ns;
  if (kShared) {
    warpnic::publish<warpnic::Point::kUser, warpnic::Scope::kDevice>(&entry.last, key.last);
  } else {
    entry.last = key.last;
  }
  return true;
}

/// Adds one frame to its flow; `first` is the key's hash. False if the table has no place for it.
template <bool kShared>
WARPNIC_DEVICE bool add_frame(const Table& table, const Key& key, uint32_t first, uint32_t bytes,
                              uint64_t time_ns) {
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    const uint32_t place = (first + probe) & table.mask;
    Entry& entry = table.entries[place];
    uint64_t owner = owner_of<kShared>(entry);
    if (owner == kEmpty) {
      if (take<kShared>(table, place, key, time_ns)) {
        owner = key.last;
      } else {
        owner = owner_of<kShared>(entry);
      }
    }
    if (owner != key.last || !same_addresses(entry, key)) continue;
    add<kShared>(&entry.frames, 1);
    add<kShared>(&entry.bytes, bytes);
    // Captures may be out of order. One lane alone looks at first_ns, a line of its own, only for a
    // frame that is older than another; beside others it cannot tell which those were.
    if (kShared || time_ns < entry.last_ns) lower<kShared>(&table.first_ns[place], time_ns);
    raise<kShared>(&entry.last_ns, time_ns);
    return true;
  }
  return false;
}

/// A frame that was looked at and is still to be counted.
struct Seen {
  Parsed parsed;
  uint32_t hash;
  uint32_t bytes;
  uint64_t time_ns;
};

/// Looks at a frame, and fetches its flow's place in the table meanwhile.
WARPNIC_DEVICE void see_frame(const Table& table, const uint8_t* frame, uint32_t bytes,
                              uint64_t time_ns, Seen& seen) {
  seen.parsed = parse(frame, bytes);
  seen.bytes = bytes;
  seen.time_ns = time_ns;
  if (seen.parsed.kind != Kind::kFlow) return;
  seen.hash = hash(seen.parsed.key);
  warpnic::prefetch_write(&table.entries[seen.hash & table.mask]);
}

/// Counts a frame, whatever it is. Totals::frames and ::bytes are the caller's.
template <bool kShared>
WARPNIC_DEVICE void count_frame(const Table& table, const Seen& seen) {
  if (seen.parsed.kind == Kind::kFlow) {
    if (!add_frame<kShared>(table, seen.parsed.key, seen.hash, seen.bytes, seen.time_ns)) {
      add<kShared>(&table.totals->untracked_frames, 1);
      add<kShared>(&table.totals->untracked_bytes, seen.bytes);
    }
  } else if (seen.parsed.kind == Kind::kNonIp) {
    add<kShared>(&table.totals->non_ip[seen.parsed.ether_type], 1);
  } else {
    add<kShared>(&table.totals->malformed, 1);
  }
}

}  // namespace flows
