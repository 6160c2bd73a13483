// SPDX-License-Identifier: Apache-2.0
// The 16-bit counter of a doorbell record stands for a 64-bit index, whatever the index.
#include <gtest/gtest.h>

#include <random>

#include "warpnic/format/mlx5_doorbell.h"

namespace warpnic {
namespace {

static_assert(doorbell_count(0x12345) == 0x2345, "low 16 bits");
static_assert(doorbell_index(0, 0) == 0, "did not move");
static_assert(doorbell_index(0xffff, 0) == 0x10000, "wraps to the next 65536");
static_assert(doorbell_index(0x1ffff, doorbell_count(0x2fffe)) == 0x2fffe, "moved by 65535");

TEST(Doorbell, every_move_below_65536_is_found_from_every_place_in_the_wrap) {
  const uint64_t bases[] = {0, 0xfffe, 0xffff, 0x10000, 0x7fffffff, 0xffffffff,
                            0x123456789abcdef0};
  for (uint64_t last : bases) {
    for (uint64_t moved = 0; moved < 65536; ++moved) {
      ASSERT_EQ(doorbell_index(last, doorbell_count(last + moved)), last + moved)
          << "last " << last << " moved " << moved;
    }
  }
}

TEST(Doorbell, a_million_random_moves_never_lose_the_index) {
  std::mt19937_64 random(1);
  uint64_t index = 0;
  uint64_t seen = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    index += random() % 65536;
    seen = doorbell_index(seen, doorbell_count(index));
    ASSERT_EQ(seen, index) << "after move " << i;
  }
}

TEST(Doorbell, high_bits_of_a_counter_do_not_matter) {
  // A card looks at 16 bits only; so does the virtual NIC.
  EXPECT_EQ(doorbell_index(0x10005, 0xabcd0007), 0x10007u);
}

TEST(Doorbell, a_move_by_65536_looks_like_none) {
  // The bound in the contract is exact: this is why a limit moves by less than 65536.
  EXPECT_EQ(doorbell_index(5, doorbell_count(5 + 65536)), 5u);
}

}  // namespace
}  // namespace warpnic
