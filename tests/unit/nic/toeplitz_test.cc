// SPDX-License-Identifier: Apache-2.0
// The hash against Microsoft's published values ("Verifying the RSS Hash Calculation") and against
// its definition, bit by bit.
#include "nic/virtual/engine/toeplitz.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace warpnic::engine {
namespace {

constexpr ToeplitzKey kMicrosoftKey = {
    {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
     0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
     0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa}};

/// The definition.
uint32_t hash_by_bits(const ToeplitzKey& key, const std::vector<uint8_t>& input) {
  uint32_t hash = 0;
  for (size_t bit = 0; bit < input.size() * 8; ++bit) {
    if ((input[bit / 8] & (0x80 >> bit % 8)) == 0) continue;
    for (size_t i = 0; i < 32; ++i) {
      const size_t at = bit + i;
      if (key.bytes[at / 8] & (0x80 >> at % 8)) hash ^= 0x80000000u >> i;
    }
  }
  return hash;
}

std::unique_ptr<Toeplitz> tables_of(const ToeplitzKey& key) {
  auto tables = std::make_unique<Toeplitz>();
  toeplitz_init(*tables, key);
  return tables;
}

struct Vector {
  const char* destination;
  uint16_t destination_port;
  const char* source;
  uint16_t source_port;
  uint32_t addresses_hash;
  uint32_t ports_hash;
};
constexpr Vector kVectors[] = {
    {"161.142.100.80", 1766, "66.9.149.187", 2794, 0x323e8fc2, 0x51ccc178},
    {"65.69.140.83", 4739, "199.92.111.2", 14230, 0xd718262a, 0xc626b0ea},
    {"12.22.207.184", 38024, "24.19.198.95", 12898, 0xd2d0a5de, 0x5c2b394a},
    {"209.142.163.6", 2217, "38.27.205.30", 48228, 0x82989176, 0xafc7327f},
    {"202.188.127.2", 1303, "153.39.163.191", 44251, 0x5d1809c5, 0x10e828a2},
    {"3ffe:2501:200:3::1", 1766, "3ffe:2501:200:1fff::7", 2794, 0x2cc18cd5, 0x40207d3d},
    {"ff02::1", 4739, "3ffe:501:8::260:97ff:fe40:efab", 14230, 0x0f0c461c, 0xdde51bbf},
    {"fe80::200:f8ff:fe21:67cf", 38024, "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, 0x4b61e985,
     0x02d1feef},
};

void append_address(std::vector<uint8_t>& input, const char* text) {
  uint8_t bytes[16];
  const bool v6 = std::strchr(text, ':') != nullptr;
  ASSERT_EQ(inet_pton(v6 ? AF_INET6 : AF_INET, text, bytes), 1) << text;
  input.insert(input.end(), bytes, bytes + (v6 ? 16 : 4));
}

TEST(Toeplitz, microsofts_vectors) {
  const auto tables = tables_of(kMicrosoftKey);
  EXPECT_EQ(tables->repeats, 0u);
  for (const Vector& v : kVectors) {
    SCOPED_TRACE(v.source);
    std::vector<uint8_t> input;
    append_address(input, v.source);
    append_address(input, v.destination);
    const auto addresses = static_cast<uint32_t>(input.size());
    for (const uint16_t port : {v.source_port, v.destination_port}) {
      input.push_back(static_cast<uint8_t>(port >> 8));
      input.push_back(static_cast<uint8_t>(port));
    }
    const uint32_t share = toeplitz_share(*tables, input.data(), addresses, 0);
    EXPECT_EQ(share, v.addresses_hash);
    EXPECT_EQ(share ^ toeplitz_share(*tables, input.data() + addresses, 4, addresses),
              v.ports_hash);
    EXPECT_EQ(hash_by_bits(kMicrosoftKey, input), v.ports_hash);
  }
}

TEST(Toeplitz, folded_hash_of_the_symmetric_key_follows_the_definition) {
  auto tables = std::make_unique<Toeplitz>();
  toeplitz_init_symmetric(*tables);
  EXPECT_EQ(tables->repeats, 1u);
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    for (const uint32_t addresses : {8u, 32u}) {
      std::vector<uint8_t> input(addresses + 4);
      for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
      const uint32_t hash = toeplitz_share(*tables, input.data(), addresses, 0) ^
                            toeplitz_share(*tables, input.data() + addresses, 4, addresses);
      EXPECT_EQ(hash, hash_by_bits(symmetric_toeplitz_key(), input));
    }
  }
}

TEST(Toeplitz, symmetric_key_gives_both_directions_one_hash) {
  auto tables = std::make_unique<Toeplitz>();
  toeplitz_init_symmetric(*tables);
  const uint8_t there[12] = {10, 1, 2, 3, 192, 168, 9, 8, 0x12, 0x34, 0, 80};
  const uint8_t back[12] = {192, 168, 9, 8, 10, 1, 2, 3, 0, 80, 0x12, 0x34};
  const uint8_t other[12] = {192, 168, 9, 8, 10, 1, 2, 3, 0, 81, 0x12, 0x34};
  const auto hash = [&](const uint8_t* input) { return toeplitz_share(*tables, input, 12, 0); };
  EXPECT_EQ(hash(there), hash(back));
  EXPECT_NE(hash(there), hash(other));
}

}  // namespace
}  // namespace warpnic::engine
