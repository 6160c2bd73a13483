// SPDX-License-Identifier: Apache-2.0
// Single steps of the engine, where a running NIC could not be stopped at the right moment.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "nic/virtual/engine/receive.h"
#include "nic/virtual/engine/setup.h"
#include "nic/virtual/link/rings.h"

namespace warpnic::engine {
namespace {

TEST(Engine, takes_no_frame_before_the_first_steering_table_lossless_or_lossy) {
  for (const bool lossless : {true, false}) {
    FrameArea area;
    const uint8_t frame[60] = {};
    RxRing ring(8);
    ring.fill(area.add(frame, sizeof frame, nullptr));
    ring.publish_filled();
    WirePort port{};
    port.rx = ring.ring();
    port.area = area.data();
    port.area_bytes = area.bytes();
    const auto engine = std::make_unique<Engine>();
    init(*engine, port, lossless);
    EXPECT_EQ(step(*engine, SoloLane()), 0u);
    EXPECT_EQ(engine->counters.frames, 0u);

    // Once there has been a table, a lossy link goes on without queues and a lossless one waits.
    request_steering(*engine, {});
    EXPECT_EQ(step(*engine, SoloLane()), lossless ? 0u : 1u);
    EXPECT_EQ(engine->counters.dropped[static_cast<unsigned>(Drop::kQueueStopped)],
              lossless ? 0u : 1u);
  }
}

}  // namespace
}  // namespace warpnic::engine
