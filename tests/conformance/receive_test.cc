// SPDX-License-Identifier: Apache-2.0
// How every NIC must treat receive queues: order, accounting, slot life, errors, stop and restart.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "engine_kernel.h"
#include "kit.h"

namespace warpnic::test {
namespace {

/// The engine as a kernel of 32 lanes, on whatever runs kernels here. All tests share one stream.
class KernelDriver final : public EngineDriver {
 public:
  uint32_t run(engine::Engine& engine) override {
    static KernelEngine* const kernel = new KernelEngine;
    uint32_t moved = 0;
    if (!kernel->slice(&engine, 64, &moved)) ADD_FAILURE() << "the engine's kernel did not run";
    return moved;
  }
};

enum class Engines { kCpuThread, kKernelOf32Lanes };

class Receive : public testing::TestWithParam<Engines> {
 protected:
  /// A NIC on `link_`, after the test has filled it.
  VirtualNic& open(std::unique_ptr<ScriptLink> link) {
    link->finish();
    link_ = link.get();
    nic_ = std::make_unique<VirtualNic>("vnic0", "0000:ff:00.0", "script", std::move(link),
                                        GetParam() == Engines::kCpuThread
                                            ? make_thread_driver()
                                            : std::make_unique<KernelDriver>());
    return *nic_;
  }
  /// A link with `frames` frames of `bytes`, over `flows` flows, numbered through.
  static std::unique_ptr<ScriptLink> flows_of(const ScriptLink::Options& options, uint32_t frames,
                                              uint32_t flows, uint32_t bytes = 60) {
    auto link = std::make_unique<ScriptLink>(options);
    for (uint32_t i = 0; i < frames; ++i) link->add(make_frame(i % flows, i, bytes));
    return link;
  }
  bool link_ends() {
    return wait_for([&] { return nic_->link_ended(); });
  }

  ScriptLink* link_ = nullptr;
  std::unique_ptr<VirtualNic> nic_;
};

INSTANTIATE_TEST_SUITE_P(VirtualNic, Receive,
                         testing::Values(Engines::kCpuThread, Engines::kKernelOf32Lanes),
                         [](const auto& info) {
                           return info.param == Engines::kCpuThread ? "cpu_thread"
                                                                    : "kernel_of_32_lanes";
                         });

/// Receives from `queue` until `count` packets came; checks that numbers only grow, for each flow.
/// Returns the numbers.
std::vector<uint32_t> receive_all(TestQueue& queue, uint64_t count) {
  std::vector<uint32_t> numbers;
  std::map<uint32_t, uint32_t> last;
  const bool complete = wait_for([&] {
    const Received packets = queue.receive();
    EXPECT_EQ(packets.status, DOCA_SUCCESS);
    for (uint32_t i = 0; i < packets.count; ++i) {
      const Mark mark = queue.mark(packets.first + i);
      const auto before = last.find(mark.flow);
      if (before != last.end()) {
        EXPECT_LT(before->second, mark.number) << "flow " << mark.flow;
      }
      last[mark.flow] = mark.number;
      numbers.push_back(mark.number);
    }
    return numbers.size() >= count;
  });
  EXPECT_TRUE(complete) << numbers.size() << " of " << count;
  return numbers;
}

/// Receives exactly `count` packets. A frame is counted as in flight a little before it can be
/// received, so one call is not enough.
void receive_exactly(TestQueue& queue, uint32_t count) {
  ASSERT_TRUE(wait_for([&] {
    while (count != 0) {
      const Received packets = queue.receive(count);
      if (packets.count == 0) return false;
      count -= packets.count;
    }
    return true;
  }));
}

TEST_P(Receive, lossless_link_delivers_every_frame_once_in_order) {
  constexpr uint32_t kFrames = 3000;
  VirtualNic& nic = open(flows_of({}, kFrames, 7));
  TestQueue queue(nic, {});
  ASSERT_TRUE(queue.start().ok());
  const std::vector<uint32_t> numbers = receive_all(queue, kFrames);
  ASSERT_EQ(numbers.size(), kFrames);
  for (uint32_t i = 0; i < kFrames; ++i) EXPECT_EQ(numbers[i], i);
  ASSERT_TRUE(link_ends());
  const NicCounters counters = nic.counters();
  EXPECT_EQ(counters.frames, kFrames);
  EXPECT_EQ(counters.bytes, 60u * kFrames);
  EXPECT_EQ(counters.delivered, kFrames);
  EXPECT_EQ(counters.in_flight, 0u);
  EXPECT_EQ(accounted(counters), kFrames);
  EXPECT_TRUE(queue.guard_is_whole());
}

TEST_P(Receive, flows_are_spread_over_queues_and_each_stays_on_one) {
  constexpr uint32_t kFrames = 2048, kFlows = 256, kQueues = 4;
  // Queues start one by one, and lossy frames would be lost before the last: so a lossless link with
  // a first queue of few slots, which stops it at once.
  VirtualNic& nic = open(flows_of({}, kFrames, kFlows));
  std::vector<std::unique_ptr<TestQueue>> queues;
  for (uint32_t i = 0; i < kQueues; ++i) {
    queues.push_back(std::make_unique<TestQueue>(nic, TestQueue::Options{.slots_log2 = 2}));
    ASSERT_TRUE(queues.back()->start().ok());
  }
  std::map<uint32_t, std::set<uint32_t>> queues_of_flow;
  std::vector<uint64_t> received(kQueues);
  EXPECT_TRUE(wait_for([&] {
    for (uint32_t i = 0; i < kQueues; ++i) {
      const Received packets = queues[i]->receive();
      for (uint32_t k = 0; k < packets.count; ++k) {
        const Mark mark = queues[i]->mark(packets.first + k);
        if (mark.number >= kFlows) queues_of_flow[mark.flow].insert(i);
        ++received[i];
      }
    }
    return std::accumulate(received.begin(), received.end(), uint64_t{0}) == kFrames;
  }));
  for (const auto& [flow, seen] : queues_of_flow) EXPECT_EQ(seen.size(), 1u) << "flow " << flow;
  for (uint32_t i = 0; i < kQueues; ++i) {
    EXPECT_GT(received[i], kFrames / kQueues / 3) << "queue " << i;
  }
  EXPECT_EQ(accounted(nic.counters()), kFrames);
}

TEST_P(Receive, full_queue_stops_a_lossless_link_and_no_slot_beyond_the_limit_is_written) {
  constexpr uint32_t kFrames = 100;
  VirtualNic& nic = open(flows_of({}, kFrames, 1));
  TestQueue queue(nic, {.slots_log2 = 4, .hold_back = 5});
  ASSERT_TRUE(queue.start().ok());
  const uint64_t limit = queue.slots() - queue.hold_back();
  ASSERT_TRUE(wait_for([&] { return nic.counters().in_flight == limit; }));
  // The engine goes on stepping; nothing more may come.
  const uint64_t beat = peek(nic.heartbeat());
  ASSERT_TRUE(wait_for([&] { return peek(nic.heartbeat()) > beat + 20; }));
  const NicCounters stalled = nic.counters();
  EXPECT_EQ(stalled.in_flight, limit);
  EXPECT_EQ(stalled.frames, limit);
  EXPECT_EQ(accounted(stalled), limit);
  EXPECT_FALSE(nic.link_ended());
  for (uint64_t i = limit; i < queue.slots(); ++i) EXPECT_TRUE(queue.slot_is_untouched(i)) << i;
  EXPECT_EQ(receive_all(queue, kFrames).size(), kFrames);
  EXPECT_EQ(nic.counters().delivered, kFrames);
}

TEST_P(Receive, a_slot_is_kept_until_hold_back_further_packets_were_returned) {
  VirtualNic& nic = open(flows_of({}, 64, 1));
  TestQueue queue(nic, {.slots_log2 = 3, .hold_back = 3});
  ASSERT_TRUE(queue.start().ok());
  for (uint64_t next = 0; next < 64; ++next) {
    uint64_t first = 0;
    ASSERT_TRUE(wait_for([&] {
      const Received packets = queue.receive(1);
      first = packets.first;
      return packets.count == 1;
    }));
    ASSERT_EQ(first, next);
    const uint64_t oldest = next < 2 ? 0 : next - 2;
    for (uint64_t kept = oldest; kept <= next; ++kept) EXPECT_EQ(queue.mark(kept).number, kept);
  }
}

TEST_P(Receive, lossy_link_drops_what_finds_no_slot_and_counts_it) {
  constexpr uint32_t kFrames = 100;
  VirtualNic& nic = open(flows_of({.lossless = false}, kFrames, 1));
  TestQueue queue(nic, {});
  ASSERT_TRUE(queue.start().ok());
  ASSERT_TRUE(link_ends());
  const uint64_t room = queue.slots() - queue.hold_back();
  NicCounters counters = nic.counters();
  EXPECT_EQ(counters.frames, kFrames);
  EXPECT_EQ(counters.in_flight, room);
  EXPECT_EQ(dropped(counters, Drop::kNoFreeSlot), kFrames - room);
  receive_exactly(queue, 2);
  ASSERT_TRUE(queue.stop().ok());
  counters = nic.counters();
  EXPECT_EQ(counters.delivered, 2u);
  EXPECT_EQ(counters.in_flight, 0u);
  EXPECT_EQ(dropped(counters, Drop::kNotReceivedBeforeStop), room - 2);
  EXPECT_EQ(accounted(counters), kFrames);
}

TEST_P(Receive, frames_longer_than_the_packet_size_are_dropped_and_counted) {
  auto link = std::make_unique<ScriptLink>(ScriptLink::Options{});
  const uint32_t sizes[] = {60, 1500, 1501, 9000, 60, 1500};
  for (uint32_t i = 0; i < 6; ++i) link->add(make_frame(1, i, sizes[i]));
  VirtualNic& nic = open(std::move(link));
  TestQueue queue(nic, {.max_packet_bytes = 1500});
  ASSERT_TRUE(queue.start().ok());
  EXPECT_EQ(receive_all(queue, 4), (std::vector<uint32_t>{0, 1, 4, 5}));
  const NicCounters counters = nic.counters();
  EXPECT_EQ(dropped(counters, Drop::kTooLong), 2u);
  EXPECT_EQ(counters.bytes, 60u + 1500 + 1501 + 9000 + 60 + 1500);
  EXPECT_EQ(accounted(counters), 6u);
}

TEST_P(Receive, bytes_beyond_the_descriptors_count_are_not_written) {
  auto link = std::make_unique<ScriptLink>(ScriptLink::Options{});
  for (uint32_t bytes = 60; bytes <= 101; ++bytes) link->add(make_frame(1, bytes, bytes));
  VirtualNic& nic = open(std::move(link));
  TestQueue queue(nic, {.slots_log2 = 6, .slot_bytes = 128, .hold_back = 1, .byte_count = 101});
  ASSERT_TRUE(queue.start().ok());
  ASSERT_EQ(receive_all(queue, 42).size(), 42u);
  for (uint32_t i = 0; i < 42; ++i) {
    const auto frame = make_frame(1, 60 + i, 60 + i);
    EXPECT_EQ(std::memcmp(queue.slot(i), frame.data(), frame.size()), 0) << frame.size();
    for (uint32_t k = 101; k < 128; ++k) {
      EXPECT_EQ(queue.slot(i)[k], TestQueue::kGuard) << "frame of " << 60 + i << ", byte " << k;
    }
  }
}

TEST_P(Receive, completion_says_length_time_hash_headers_and_checksum) {
  auto link = std::make_unique<ScriptLink>(ScriptLink::Options{});
  std::vector<uint8_t> good = make_frame(1, 0, 100);
  const uint32_t sum_without_checksum = [&] {
    uint32_t sum = 0;
    for (int i = 14; i < 34; i += 2) sum += static_cast<uint32_t>(good[i] << 8 | good[i + 1]);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
  }();
  good[24] = static_cast<uint8_t>(sum_without_checksum >> 8);
  good[25] = static_cast<uint8_t>(sum_without_checksum);
  link->add(good, 1600000000123456789u);
  link->add(make_frame(1, 1, 61));  // checksum 0 is wrong; no note
  std::vector<uint8_t> arp(60, 0);
  arp[12] = 0x08;
  arp[13] = 0x06;
  link->add(arp, 1);
  VirtualNic& nic = open(std::move(link));
  TestQueue queue(nic, {});
  const uint64_t before = now_ns();
  ASSERT_TRUE(queue.start().ok());
  receive_exactly(queue, 3);

  engine::Toeplitz tables;
  engine::toeplitz_init_symmetric(tables);
  const uint32_t hash = engine::toeplitz_share(tables, good.data() + 26, 8, 0) ^
                        engine::toeplitz_share(tables, good.data() + 34, 4, 8);
  const Completion& first = queue.completion(0);
  EXPECT_EQ(first.byte_cnt.get(), 100u);
  EXPECT_EQ(first.timestamp.get(), 1600000000123456789u);
  EXPECT_EQ(first.rx_hash_result.get(), hash);
  EXPECT_EQ(first.rx_hash_type, kHashedAddressesIpv4 | kHashedPortsUdp);
  EXPECT_EQ(first.hds_ip_ext, kCqeL3Ok);
  EXPECT_EQ(CqeHeaders::Network::get(first.l4_hdr_type_etc), kCqeNetworkIpv4);
  EXPECT_EQ(CqeHeaders::Transport::get(first.l4_hdr_type_etc), kCqeTransportUdp);
  EXPECT_EQ(first.tail.fields.sop_drop_qpn.get(), 0u);
  EXPECT_EQ(first.tail.fields.wqe_counter.get(), 0u);

  const Completion& second = queue.completion(1);
  EXPECT_EQ(second.byte_cnt.get(), 61u);
  EXPECT_EQ(second.hds_ip_ext, 0u);
  EXPECT_GE(second.timestamp.get(), before);
  EXPECT_LE(second.timestamp.get(), now_ns());
  EXPECT_EQ(second.tail.fields.wqe_counter.get(), 1u);

  const Completion& third = queue.completion(2);
  EXPECT_EQ(third.rx_hash_result.get(), 0u);
  EXPECT_EQ(third.rx_hash_type, kHashedNothing);
  EXPECT_EQ(third.l4_hdr_type_etc, 0u);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(reinterpret_cast<const uint8_t*>(&third)[i], 0u) << i;
}

TEST_P(Receive, ring_words_of_32_bits_wrap) {
  constexpr uint32_t kFrames = 500;
  VirtualNic& nic =
      open(flows_of({.first_index = 0xffffff80u}, kFrames, 3));
  TestQueue queue(nic, {});
  ASSERT_TRUE(queue.start().ok());
  EXPECT_EQ(receive_all(queue, kFrames).size(), kFrames);
  EXPECT_EQ(accounted(nic.counters()), kFrames);
}

TEST_P(Receive, doorbell_counter_of_16_bits_wraps) {
  constexpr uint32_t kFrames = 66000;
  VirtualNic& nic = open(flows_of({.ring_entries = 1024}, kFrames, 1));
  TestQueue queue(nic, {.slots_log2 = 9, .slot_bytes = 64});
  ASSERT_TRUE(queue.start().ok());
  const auto numbers = receive_all(queue, kFrames);
  ASSERT_EQ(numbers.size(), kFrames);
  EXPECT_EQ(numbers.back(), kFrames - 1);
  EXPECT_EQ(nic.counters().delivered, kFrames);
}

TEST_P(Receive, the_largest_queue_fills_and_empties) {
  constexpr uint32_t kFrames = 70000;
  VirtualNic& nic = open(flows_of({.ring_entries = 1024}, kFrames, 1));
  TestQueue queue(nic, {.slots_log2 = 16, .slot_bytes = 64, .hold_back = 1});
  ASSERT_TRUE(queue.start().ok());
  ASSERT_TRUE(wait_for([&] { return nic.counters().in_flight == 65535; }));
  uint64_t next = 0;
  EXPECT_TRUE(wait_for([&] {
    // Each call returns at most the hold-back, which is 1.
    while (queue.receive().count == 1) {
      EXPECT_EQ(queue.mark(next).number, next);
      ++next;
    }
    return next == kFrames;
  }));
}

struct BadDescriptor {
  const char* name;
  void (*damage)(TestQueue&, ReceiveDescriptor&);
  uint8_t syndrome;
};

TEST_P(Receive, bad_receive_descriptor_gives_one_error_completion_and_fails_the_queue) {
  const BadDescriptor cases[] = {
      {"unknown key",
       [](TestQueue& queue, ReceiveDescriptor& d) {
         d.lkey = Big<uint32_t>::of(queue.key() ^ 0x10000);
       },
       kSyndromeLocalProtection},
      {"key zero", [](TestQueue&, ReceiveDescriptor& d) { d.lkey = Big<uint32_t>::of(0); },
       kSyndromeLocalProtection},
      {"address before the region",
       [](TestQueue& queue, ReceiveDescriptor& d) {
         d.addr = Big<uint64_t>::of(reinterpret_cast<uintptr_t>(queue.slot(0)) - 64);
       },
       kSyndromeLocalProtection},
      {"end behind the region",
       [](TestQueue& queue, ReceiveDescriptor& d) {
         d.addr = Big<uint64_t>::of(reinterpret_cast<uintptr_t>(queue.slot(15)) + 64);
       },
       kSyndromeLocalProtection},
      {"byte count that wraps",
       [](TestQueue&, ReceiveDescriptor& d) { d.byte_count = Big<uint32_t>::of(0xffffffff); },
       kSyndromeLocalProtection},
      {"frame longer than the byte count",
       [](TestQueue&, ReceiveDescriptor& d) { d.byte_count = Big<uint32_t>::of(59); },
       kSyndromeLocalLength},
  };
  constexpr uint32_t kFrames = 50;
  for (const BadDescriptor& bad : cases) {
    SCOPED_TRACE(bad.name);
    VirtualNic& nic = open(flows_of({}, kFrames, 1));
    {
      TestQueue queue(nic, {});
      bad.damage(queue, queue.descriptor(3));
      ASSERT_TRUE(queue.start().ok());
      ASSERT_TRUE(link_ends()) << "a failed queue must not stop the link";
      EXPECT_EQ(receive_all(queue, 3), (std::vector<uint32_t>{0, 1, 2}));
      EXPECT_EQ(queue.receive().status, DOCA_ERROR_IO_FAILED);
      EXPECT_EQ(queue.handle().fault & 0xff, bad.syndrome);
      EXPECT_NE(queue.handle().fault & kFaultSet, 0u);
      for (uint64_t i = 4; i < queue.slots(); ++i) {
        EXPECT_TRUE(queue.slot_is_untouched(i)) << i;
        EXPECT_EQ(cqe_opcode(queue.completion(i).tail.fields.op_own), kCqeInvalid) << i;
      }
      EXPECT_TRUE(queue.guard_is_whole());
      const NicCounters counters = nic.counters();
      EXPECT_EQ(counters.delivered, 3u);
      EXPECT_EQ(counters.in_flight, 0u);
      EXPECT_EQ(dropped(counters, Drop::kQueueStopped), kFrames - 3);
      EXPECT_EQ(accounted(counters), kFrames);
      ASSERT_TRUE(queue.stop().ok());
    }
    EXPECT_EQ(accounted(nic.counters()), kFrames);
    nic_.reset();
  }
}

TEST_P(Receive, hostile_wire_descriptors_are_counted_and_read_nothing) {
  auto link = std::make_unique<ScriptLink>(ScriptLink::Options{});
  const uint64_t most = ~uint64_t{0};
  link->add(make_frame(1, 0, 60));
  const WireDescriptor bad[] = {
      {most, 1, 0},                    // the end wraps
      {most - 59, 60, 0},              // ends at 2^64
      {uint64_t{1} << 40, 60, 0},      // far outside
      {64, 0xffffffffu, 0},            // longer than the area
      {0, 60, kWireHasNote},           // its note would lie before the area
      {15, 10, kWireHasNote},
      {most, 0, 0},
  };
  for (const WireDescriptor& descriptor : bad) link->add_raw(descriptor);
  link->add(make_frame(1, 1, 60));
  link->add_raw({16, 0, kWireHasNote});  // a frame of no bytes is in order
  link->add(make_frame(1, 2, 60));
  VirtualNic& nic = open(std::move(link));
  TestQueue queue(nic, {});
  ASSERT_TRUE(queue.start().ok());
  receive_exactly(queue, 4);
  ASSERT_TRUE(link_ends());
  EXPECT_EQ(queue.mark(1).number, 1u);
  EXPECT_EQ(queue.completion(2).byte_cnt.get(), 0u);
  EXPECT_EQ(queue.mark(3).number, 2u);
  const NicCounters counters = nic.counters();
  EXPECT_EQ(dropped(counters, Drop::kBadDescriptor), std::size(bad));
  EXPECT_EQ(counters.bytes, 180u);
  EXPECT_EQ(accounted(counters), 4 + std::size(bad));
}

TEST_P(Receive, frames_are_given_back_to_a_link_with_a_fill_ring) {
  constexpr uint32_t kFrames = 700;
  VirtualNic& nic = open(
      flows_of({.ring_entries = 16, .first_index = 0xfffffff0u, .fill_frames = 8}, kFrames, 5));
  TestQueue queue(nic, {});
  ASSERT_TRUE(queue.start().ok());
  const auto numbers = receive_all(queue, kFrames);
  ASSERT_EQ(numbers.size(), kFrames);
  for (uint32_t i = 0; i < kFrames; ++i) EXPECT_EQ(numbers[i], i);
  EXPECT_TRUE(wait_for([&] { return link_->frames_given_back() == kFrames; }));
}

TEST_P(Receive, frames_not_received_before_the_stop_are_counted_and_a_restart_goes_on) {
  constexpr uint32_t kFrames = 40;
  VirtualNic& nic = open(flows_of({}, kFrames, 1));
  TestQueue queue(nic, {});
  ASSERT_TRUE(queue.start().ok());
  const uint64_t room = queue.slots() - queue.hold_back();
  ASSERT_TRUE(wait_for([&] { return nic.counters().in_flight == room; }));
  receive_exactly(queue, 3);
  ASSERT_TRUE(wait_for([&] { return nic.counters().in_flight == room; }));
  ASSERT_TRUE(queue.stop().ok());
  const NicCounters stopped = nic.counters();
  EXPECT_EQ(stopped.delivered, 3u);
  EXPECT_EQ(stopped.in_flight, 0u);
  EXPECT_EQ(dropped(stopped, Drop::kNotReceivedBeforeStop), room);
  EXPECT_EQ(stopped.frames, room + 3);
  EXPECT_EQ(accounted(stopped), stopped.frames);

  queue.reset();
  ASSERT_TRUE(queue.start().ok());
  const auto numbers = receive_all(queue, kFrames - room - 3);
  ASSERT_EQ(numbers.size(), kFrames - room - 3);
  EXPECT_EQ(numbers.front(), room + 3);  // a lossless link waits while no queue runs
  EXPECT_EQ(numbers.back(), kFrames - 1);
  EXPECT_EQ(nic.counters().frames, kFrames);
  EXPECT_EQ(accounted(nic.counters()), kFrames);
}

TEST_P(Receive, memory_of_a_stopped_queue_is_not_touched) {
  constexpr uint32_t kFrames = 4000;
  VirtualNic& nic = open(flows_of({.lossless = false}, kFrames, 64));
  TestQueue stopped(nic, {}), runs(nic, {});
  ASSERT_TRUE(stopped.start().ok());
  ASSERT_TRUE(runs.start().ok());
  ASSERT_TRUE(stopped.stop().ok());
  stopped.reset();  // all slots and completions hold known bytes again
  ASSERT_TRUE(wait_for([&] {
    (void)runs.receive();
    return nic.link_ended();
  }));
  for (uint64_t i = 0; i < stopped.slots(); ++i) {
    EXPECT_TRUE(stopped.slot_is_untouched(i)) << i;
    EXPECT_EQ(stopped.completion(i).tail.fields.op_own, 0xff) << i;
  }
  EXPECT_EQ(nic.counters().frames, kFrames);
  EXPECT_EQ(accounted(nic.counters()), kFrames);
}

TEST_P(Receive, without_a_running_queue_a_lossy_link_drops_as_queue_stopped) {
  constexpr uint32_t kFrames = 20000;
  VirtualNic& nic = open(flows_of({.lossless = false, .ring_entries = 64}, kFrames, 4));
  TestQueue queue(nic, {});
  EXPECT_EQ(nic.counters().frames, 0u);  // the link begins with the first queue
  ASSERT_TRUE(queue.start().ok());
  ASSERT_TRUE(queue.stop().ok());
  ASSERT_TRUE(link_ends());
  const NicCounters counters = nic.counters();
  EXPECT_EQ(counters.frames, kFrames);
  EXPECT_GT(dropped(counters, Drop::kQueueStopped), 0u);
  EXPECT_EQ(accounted(counters), kFrames);
}

TEST_P(Receive, the_sum_holds_at_every_moment) {
  constexpr uint32_t kFrames = 20000;
  VirtualNic& nic = open(flows_of({.lossless = false, .ring_entries = 256}, kFrames, 16));
  TestQueue queue(nic, {.slots_log2 = 6, .slot_bytes = 64});
  ASSERT_TRUE(queue.start().ok());
  std::atomic<bool> stop{false};
  std::thread receiver([&] {
    while (!stop.load()) (void)queue.receive();
  });
  uint64_t looks = 0;
  EXPECT_TRUE(wait_for([&] {
    const NicCounters counters = nic.counters();
    EXPECT_EQ(accounted(counters), counters.frames);
    EXPECT_LE(counters.in_flight, counters.frames);
    ++looks;
    return nic.link_ended();
  }));
  stop = true;
  receiver.join();
  EXPECT_GT(looks, 0u);
}

TEST_P(Receive, a_stall_is_reported_once_and_names_the_queue) {
  char path[] = "/tmp/warpnic-stall-XXXXXX";
  const int log = mkstemp(path);
  ASSERT_GE(log, 0);
  const auto text = [&] {
    char bytes[4096];
    const ssize_t count = pread(log, bytes, sizeof bytes, 0);
    return std::string(bytes, count > 0 ? static_cast<size_t>(count) : 0);
  };
  const int original = dup(STDERR_FILENO);
  dup2(log, STDERR_FILENO);
  {
    VirtualNic& nic = open(flows_of({}, 100, 1));
    TestQueue queue(nic, {});
    EXPECT_TRUE(queue.start().ok());
    EXPECT_TRUE(wait_for([&] { return text().find("receive queue 0 is full") != std::string::npos; }));
    EXPECT_NE(text().find("0000:ff:00.0"), std::string::npos);
    EXPECT_NE(text().find("12 frames"), std::string::npos);
    const uint64_t beat = peek(nic.heartbeat());
    EXPECT_TRUE(wait_for([&] { return peek(nic.heartbeat()) > beat + 100; }));
    const std::string all = text();
    EXPECT_EQ(all.find("is full"), all.rfind("is full"));
  }
  nic_.reset();
  dup2(original, STDERR_FILENO);
  close(original);
  close(log);
  unlink(path);
}

TEST_P(Receive, start_and_stop_refuse_what_is_wrong) {
  VirtualNic& nic = open(flows_of({}, 1, 1));
  TestQueue queue(nic, {});
  queue.gpu = std::make_shared<PlainGpu>(false);
  const Status other_gpu = queue.start();
  EXPECT_EQ(other_gpu.code(), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(other_gpu.cause().find("plain memory"), std::string::npos);
  queue.gpu = nullptr;
  EXPECT_EQ(queue.start().code(), DOCA_ERROR_INVALID_VALUE);
  queue.gpu = std::make_shared<PlainGpu>();
  EXPECT_EQ(nic.stop_receive_queue(17, 0).code(), DOCA_ERROR_BAD_STATE);

  std::vector<std::unique_ptr<TestQueue>> queues;
  for (uint32_t i = 0; i < nic.caps().max_receive_queues; ++i) {
    queues.push_back(std::make_unique<TestQueue>(nic, TestQueue::Options{.slots_log2 = 2}));
    ASSERT_TRUE(queues.back()->start().ok()) << i;
  }
  EXPECT_EQ(queue.start().code(), DOCA_ERROR_FULL);
  const ReceiveQueueId gone = queues.back()->id();
  queues.pop_back();
  EXPECT_EQ(nic.stop_receive_queue(gone, 0).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_TRUE(queue.start().ok());
}

TEST_P(Receive, memory_regions_are_limited_and_keys_are_not_reused_at_once) {
  VirtualNic& nic = open(flows_of({}, 1, 1));
  static uint8_t memory[64];
  EXPECT_EQ(nic.register_memory(nullptr, 64).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(nic.register_memory(memory, 0).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(nic.register_memory(memory, ~size_t{0}).status().code(), DOCA_ERROR_INVALID_VALUE);
  std::set<uint32_t> keys;
  Result<uint32_t> key = nic.register_memory(memory, sizeof memory);
  const uint32_t first = key.value();
  while (key.ok()) {
    EXPECT_TRUE(keys.insert(key.value()).second);
    key = nic.register_memory(memory, sizeof memory);
  }
  EXPECT_EQ(key.status().code(), DOCA_ERROR_NO_MEMORY);
  EXPECT_TRUE(nic.deregister_memory(first).ok());
  EXPECT_EQ(nic.deregister_memory(first).code(), DOCA_ERROR_NOT_FOUND);
  key = nic.register_memory(memory, sizeof memory);
  ASSERT_TRUE(key.ok());
  EXPECT_NE(key.value(), first);
}

}  // namespace
}  // namespace warpnic::test
