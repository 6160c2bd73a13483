// SPDX-License-Identifier: Apache-2.0
// Any bytes as ring words and descriptors of a wire ring whose other end is hostile: the engine reads
// only inside the area and writes only inside its slots (AddressSanitizer), and every frame it takes
// is accounted for.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "nic/virtual/engine/receive.h"
#include "nic/virtual/engine/setup.h"

namespace {
constexpr uint32_t kEntries = 16;
constexpr uint32_t kSlotsLog2 = 3;
constexpr uint32_t kSlots = 1u << kSlotsLog2;
constexpr uint32_t kSlotBytes = 128;
constexpr uint32_t kKey = 1u << 16;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpnic;
  if (size < 8) return 0;
  uint32_t words[2];
  std::memcpy(words, data, sizeof words);
  std::vector<WireDescriptor> ring(kEntries);
  const size_t ring_bytes = std::min(size - 8, kEntries * sizeof(WireDescriptor));
  std::memcpy(ring.data(), data + 8, ring_bytes);
  std::vector<uint8_t> area(data + 8 + ring_bytes, data + size);  // exactly what is left

  uint32_t producer = words[0], consumer = words[1];
  uint32_t fill_producer = words[1], fill_consumer = words[1];
  std::vector<uint64_t> fill(kEntries);
  auto engine = std::make_unique<engine::Engine>();
  WirePort port{};
  port.rx = {&producer, &consumer, ring.data(), kEntries - 1};
  port.fill = {&fill_producer, &fill_consumer, fill.data(), kEntries - 1};
  port.area = area.data();
  port.area_bytes = area.size();
  engine::init(*engine, port, (words[0] & 1) != 0);

  struct alignas(64) Slots {
    uint8_t bytes[kSlots * kSlotBytes];
  };
  const auto packets = std::make_unique<Slots>();
  std::vector<ReceiveDescriptor> descriptors(kSlots);
  std::vector<Completion> completions(kSlots);
  DoorbellRecord doorbell{Big<uint32_t>::of(kSlots - 2), {}};
  for (uint32_t i = 0; i < kSlots; ++i) {
    descriptors[i] = make_receive_descriptor(
        reinterpret_cast<uintptr_t>(packets->bytes + i * kSlotBytes), kSlotBytes, kKey);
    completions[i].tail.fields.op_own = kCqeInvalid << 4;
  }
  engine->regions[0] = {reinterpret_cast<uintptr_t>(packets->bytes), sizeof packets->bytes, kKey};
  engine::Queue& queue = engine->queues[0];
  queue.descriptors = descriptors.data();
  queue.completions = completions.data();
  queue.doorbell = &doorbell;
  queue.slots_log2 = kSlotsLog2;
  queue.max_packet_bytes = kSlotBytes;
  engine::request_steering(*engine, {0});

  uint64_t moved = 0;
  for (int i = 0; i < 8; ++i) moved += engine::step(*engine, SoloLane());
  uint64_t accounted = engine->counters.written;
  for (const uint64_t frames : engine->counters.dropped) accounted += frames;
  if (engine->counters.frames != moved || accounted != moved || moved > kEntries) abort();
  return 0;
}
