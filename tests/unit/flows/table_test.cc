// SPDX-License-Identifier: Apache-2.0
// The flow table: by one lane, and by many lanes of several blocks at once; what it holds is
// compared with a plain count.
#include "flows/table.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "frames.h"
#include "table_kernel.h"

namespace flows {
namespace {

/// A table that host and kernels reach.
class TestTable {
 public:
  explicit TestTable(uint32_t places) : places_(places) {
    view_.entries = static_cast<Entry*>(get(places * sizeof(Entry)));
    view_.first_ns = static_cast<uint64_t*>(get(places * sizeof(uint64_t)));
    view_.mask = places - 1;
    view_.totals = static_cast<Totals*>(get(sizeof(Totals)));
  }
  ~TestTable() {
    EXPECT_EQ(cudaSuccess, cudaFreeHost(view_.entries));
    EXPECT_EQ(cudaSuccess, cudaFreeHost(view_.first_ns));
    EXPECT_EQ(cudaSuccess, cudaFreeHost(view_.totals));
  }
  TestTable(const TestTable&) = delete;
  const Table& view() const { return view_; }
  const Totals& totals() const { return *view_.totals; }

  using Line = std::tuple<uint64_t, uint64_t, uint64_t, uint64_t>;  // frames, bytes, first, last
  using Lines = std::map<std::vector<uint64_t>, Line>;
  /// What is in it, by key. A key that is there twice is a failure.
  Lines lines() const {
    Lines result;
    for (uint32_t i = 0; i < places_; ++i) {
      const Entry& entry = view_.entries[i];
      if (entry.last == kEmpty) continue;
      EXPECT_NE(kBusy, entry.last) << "an entry was taken and never filled";
      std::vector<uint64_t> key(entry.address, entry.address + 4);
      key.push_back(entry.last);
      const bool is_new =
          result.emplace(key, Line{entry.frames, entry.bytes, view_.first_ns[i], entry.last_ns})
              .second;
      EXPECT_TRUE(is_new) << "one flow has two entries";
    }
    return result;
  }

 private:
  static void* get(size_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(cudaSuccess, cudaMallocHost(&memory, bytes));
    std::memset(memory, 0, bytes);
    return memory;
  }
  uint32_t places_;
  Table view_{};
};

TestTable::Lines expected_lines(const AddPlan& plan) {
  TestTable::Lines result;
  for (uint32_t i = 0; i < plan.frames; ++i) {
    const Key key = key_of(i % plan.flows);
    std::vector<uint64_t> name(key.address, key.address + 4);
    name.push_back(key.last);
    auto [it, is_new] = result.emplace(name, TestTable::Line{0, 0, time_of(i), time_of(i)});
    auto& [frames, bytes, first, last] = it->second;
    frames += 1;
    bytes += 60 + i % 7;
    first = std::min(first, time_of(i));
    last = std::max(last, time_of(i));
  }
  return result;
}

void run_alone(const AddPlan& plan) {
  for (uint32_t i = 0; i < plan.frames; ++i) add_one<false>(plan, i);
}
void run_shared(const AddPlan& plan) {
  ASSERT_EQ(cudaSuccess, start_adding(plan, 3, 64));
  ASSERT_EQ(cudaSuccess, cudaDeviceSynchronize());
}

class FlowsTable : public testing::TestWithParam<void (*)(const AddPlan&)> {};
INSTANTIATE_TEST_SUITE_P(ways, FlowsTable, testing::Values(run_alone, run_shared),
                         [](const auto& info) {
                           return info.index == 0 ? "one_lane" : "many_lanes_of_blocks";
                         });

TEST_P(FlowsTable, every_flow_has_its_frames_bytes_first_and_last_time) {
  TestTable table(1024);
  const AddPlan plan{table.view(), 500, 20000};
  GetParam()(plan);
  EXPECT_EQ(expected_lines(plan), table.lines());
  EXPECT_EQ(0u, table.totals().untracked_frames);
}

TEST_P(FlowsTable, one_flow_that_all_add_to_is_exact) {
  TestTable table(16);
  const AddPlan plan{table.view(), 1, 30000};
  GetParam()(plan);
  EXPECT_EQ(expected_lines(plan), table.lines());
}

TEST_P(FlowsTable, a_table_can_be_filled_to_the_last_place) {
  TestTable table(64);
  const AddPlan plan{table.view(), 64, 6400};
  GetParam()(plan);
  EXPECT_EQ(expected_lines(plan), table.lines());
  EXPECT_EQ(0u, table.totals().untracked_frames);
}

TEST_P(FlowsTable, what_finds_no_place_is_counted_apart_and_the_rest_is_exact) {
  TestTable table(64);
  const AddPlan plan{table.view(), 200, 20000};
  GetParam()(plan);
  const auto lines = table.lines();
  const auto expected = expected_lines(plan);
  EXPECT_EQ(64u, lines.size());
  uint64_t frames = table.totals().untracked_frames;
  uint64_t bytes = table.totals().untracked_bytes;
  for (const auto& [key, line] : lines) {
    // A flow that has a place got it with its first frame, so nothing of it is missing.
    ASSERT_TRUE(expected.count(key));
    EXPECT_EQ(expected.at(key), line);
    frames += std::get<0>(line);
    bytes += std::get<1>(line);
  }
  uint64_t all_bytes = 0;
  for (uint32_t i = 0; i < plan.frames; ++i) all_bytes += 60 + i % 7;
  EXPECT_EQ(20000u, frames);
  EXPECT_EQ(all_bytes, bytes);
}

TEST(FlowsTableKeys, differ_in_each_part) {
  Key base = {};
  base.last = Key::make_last(1, 2, 6, 4);
  std::vector<Key> keys = {base};
  for (int i = 0; i < 4; ++i) {
    keys.push_back(base);
    keys.back().address[i] = 1;
  }
  for (const uint64_t last : {Key::make_last(3, 2, 6, 4), Key::make_last(1, 3, 6, 4),
                              Key::make_last(1, 2, 17, 4), Key::make_last(1, 2, 6, 6)}) {
    keys.push_back(base);
    keys.back().last = last;
  }
  TestTable table(32);
  for (const Key& key : keys) EXPECT_TRUE(add_frame<false>(table.view(), key, hash(key), 60, 1));
  EXPECT_EQ(keys.size(), table.lines().size());
}

TEST(FlowsTableKeys, that_differ_in_ports_alone_are_kept_apart_where_they_collide) {
  TestTable table(64);
  for (uint16_t port = 0; port < 64; ++port) {
    Key key = {};
    key.last = Key::make_last(port, 80, 6, 4);
    EXPECT_TRUE(add_frame<false>(table.view(), key, hash(key), 60, 1));
  }
  EXPECT_EQ(64u, table.lines().size());
}

TEST(FlowsTableKeys, none_looks_like_an_entry_that_is_empty_or_being_written) {
  for (const auto version : {4, 6}) {
    EXPECT_NE(kEmpty, Key::make_last(0, 0, 0, static_cast<uint8_t>(version)));
    EXPECT_EQ(0u, kBusy & Key::make_last(0xffff, 0xffff, 0xff, static_cast<uint8_t>(version)));
  }
}

TEST(FlowsCount, a_frame_is_counted_once_under_its_kind) {
  TestTable table(16);
  const auto count = [&](const Bytes& frame) {
    Seen seen;
    see_frame(table.view(), frame.data(), static_cast<uint32_t>(frame.size()), 5, seen);
    count_frame<false>(table.view(), seen);
  };
  count(ethernet({0x0800}) + ipv4({17, 28}) + ports(8) + zeros(18));
  count(ethernet({0x0806}) + zeros(46));
  count(ethernet({0x0806}) + zeros(46));
  count(ethernet({0x0800}));
  const auto lines = table.lines();
  ASSERT_EQ(1u, lines.size());
  EXPECT_EQ((TestTable::Line{1, 60, 5, 5}), lines.begin()->second);
  EXPECT_EQ(2u, table.totals().non_ip[0x0806]);
  EXPECT_EQ(1u, table.totals().malformed);
  EXPECT_EQ(0u, table.totals().untracked_frames);
}

}  // namespace
}  // namespace flows
