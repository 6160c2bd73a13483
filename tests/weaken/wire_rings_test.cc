// SPDX-License-Identifier: Apache-2.0
// A link in a thread of its own beside the engine: it refills frames as soon as the FILL ring gives
// them back, and ring entries as soon as the consumer word frees them. Every frame must be read
// whole. Under ThreadSanitizer a weakened publish of any wire ring word is a race.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "nic/virtual/engine/receive.h"
#include "nic/virtual/engine/setup.h"

namespace warpnic {
namespace {

constexpr uint32_t kEntries = 8;
constexpr uint32_t kFrames = 8;
constexpr uint32_t kFrameBytes = 64;
constexpr uint64_t kTotal = 4000;

struct Rings {
  alignas(64) uint32_t rx_producer = 0;
  alignas(64) uint32_t rx_consumer = 0;
  alignas(64) uint32_t fill_producer = 0;
  alignas(64) uint32_t fill_consumer = 0;
  WireDescriptor rx[kEntries] = {};
  uint64_t fill[kEntries] = {};
  alignas(64) uint8_t area[kFrames * kFrameBytes] = {};
};

/// The link: takes frames from FILL, writes them, puts them on RX. Without a FILL ring its frames
/// stay as they are, and only ring entries are written anew. False if it did not get through.
bool run_link(Rings& rings, bool with_fill) {
  std::vector<uint64_t> free;
  for (uint32_t i = 0; i < kFrames; ++i) free.push_back(i * kFrameBytes);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  uint64_t sent = 0;
  while (sent < kTotal) {
    const uint32_t given = observe<Point::kWireFillProducer>(&rings.fill_producer);
    while (rings.fill_consumer != given) {
      free.push_back(rings.fill[rings.fill_consumer % kEntries]);
      publish<Point::kWireFillConsumer>(&rings.fill_consumer, rings.fill_consumer + 1);
    }
    const uint32_t taken = observe<Point::kWireRxConsumer>(&rings.rx_consumer);
    if (free.empty() || rings.rx_producer - taken == kEntries) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
      continue;
    }
    const uint64_t address = with_fill ? free.back() : sent % kFrames * kFrameBytes;
    if (with_fill) {
      free.pop_back();
      std::memset(rings.area + address, static_cast<int>(sent), kFrameBytes);
    }
    rings.rx[rings.rx_producer % kEntries] = {address, kFrameBytes, 0};
    publish<Point::kWireRxProducer>(&rings.rx_producer, rings.rx_producer + 1);
    ++sent;
  }
  return true;
}

void hand_over(bool with_fill) {
  const auto rings = std::make_unique<Rings>();
  const auto engine = std::make_unique<engine::Engine>();
  WirePort port{};
  port.rx = {&rings->rx_producer, &rings->rx_consumer, rings->rx, kEntries - 1};
  if (with_fill) {
    port.fill = {&rings->fill_producer, &rings->fill_consumer, rings->fill, kEntries - 1};
  }
  port.area = rings->area;
  port.area_bytes = sizeof rings->area;
  engine::init(*engine, port, false);
  engine::request_steering(*engine, {});  // no queue: each frame is looked at and dropped

  bool link_done = false;
  std::thread link([&] { link_done = run_link(*rings, with_fill); });
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  uint64_t moved = 0;
  while (moved < kTotal && std::chrono::steady_clock::now() < deadline) {
    const uint32_t frames = engine::step(*engine, SoloLane());
    moved += frames;
    if (frames == 0) std::this_thread::yield();
  }
  link.join();
  EXPECT_TRUE(link_done);
  EXPECT_EQ(kTotal, moved);
  EXPECT_EQ(kTotal, engine->counters.frames);
  EXPECT_EQ(kTotal * kFrameBytes, engine->counters.bytes);
}

TEST(WireRings, frames_are_given_back_whole) { hand_over(true); }
TEST(WireRings, ring_entries_are_given_back_whole) { hand_over(false); }

}  // namespace
}  // namespace warpnic
