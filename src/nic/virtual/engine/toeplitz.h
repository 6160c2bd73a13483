// SPDX-License-Identifier: Apache-2.0
// The hash that spreads frames over queues: Toeplitz, as Microsoft's "Receive Side Scaling"
// specification defines it and network cards compute it.
//
//   hash = XOR over all set bits i of the input of (bits i .. i+31 of the key)
//
// Tables hold, for each byte position and each value of that byte, the XOR of its eight windows. A
// key that repeats every 16 bits has only two different positions, so all 16-bit words of the input
// are XORed first and looked up once; the default key is such a one.
// Next: parse.h finds the input.
#pragma once

#include <stdint.h>

#include "warpnic/port/target.h"

namespace warpnic::engine {

constexpr uint32_t kToeplitzInputBytes = 36;                     // two IPv6 addresses, two ports
constexpr uint32_t kToeplitzKeyBytes = kToeplitzInputBytes + 4;  // the last window ends here

struct ToeplitzKey {
  uint8_t bytes[kToeplitzKeyBytes];
};

/// 0x6d5a repeated: both directions of a flow get one hash (S. Woo, K. Park, "Scalable TCP Session
/// Monitoring with Symmetric Receive-side Scaling", 2012).
WARPNIC_DEVICE constexpr ToeplitzKey symmetric_toeplitz_key() {
  ToeplitzKey key{};
  for (uint32_t i = 0; i < kToeplitzKeyBytes; ++i) key.bytes[i] = i % 2 == 0 ? 0x6d : 0x5a;
  return key;
}

/// A key, made ready. 36 KiB; built once by the host.
struct Toeplitz {
  uint32_t at[kToeplitzInputBytes][256];
  uint32_t repeats;  ///< 1: the key repeats every 16 bits
};

inline void toeplitz_init(Toeplitz& tables, const ToeplitzKey& key) {
  tables.repeats = 1;
  for (uint32_t i = 2; i < kToeplitzKeyBytes; ++i) {
    if (key.bytes[i] != key.bytes[i - 2]) tables.repeats = 0;
  }
  for (uint32_t position = 0; position < kToeplitzInputBytes; ++position) {
    uint64_t window = 0;  // bits position * 8 .. position * 8 + 39 of the key
    for (uint32_t i = 0; i < 5; ++i) window = window << 8 | key.bytes[position + i];
    for (uint32_t value = 0; value < 256; ++value) {
      uint32_t hash = 0;
      for (uint32_t bit = 0; bit < 8; ++bit) {
        if (value & (0x80u >> bit)) hash ^= static_cast<uint32_t>(window >> (8 - bit));
      }
      tables.at[position][value] = hash;
    }
  }
}

inline void toeplitz_init_symmetric(Toeplitz& tables) {
  toeplitz_init(tables, symmetric_toeplitz_key());
}

/// The share of `count` input bytes, the first of which is at `position` of the input; shares are
/// XORed. position and count are even; position + count <= kToeplitzInputBytes.
WARPNIC_DEVICE uint32_t toeplitz_share(const Toeplitz& tables, const uint8_t* input,
                                       uint32_t count, uint32_t position) {
  if (tables.repeats) {
    uint16_t folded = 0;
    for (uint32_t i = 0; i < count; i += 2) {
      uint16_t word;
      __builtin_memcpy(&word, input + i, sizeof(word));
      folded = static_cast<uint16_t>(folded ^ word);
    }
    return tables.at[0][folded & 0xff] ^ tables.at[1][folded >> 8];
  }
  uint32_t hash = 0;
  for (uint32_t i = 0; i < count; ++i) hash ^= tables.at[position + i][input[i]];
  return hash;
}

}  // namespace warpnic::engine
