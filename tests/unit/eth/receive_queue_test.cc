// SPDX-License-Identifier: Apache-2.0
#include "eth/receive_queue.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/fakes.h"
#include "doca_types.h"

namespace warpnic {
namespace {

using test::FakeGpu;
using test::FakeNic;

struct Sizes {
  uint32_t burst = 6;            // 8 slots
  uint32_t packet_bytes = 1514;  // a stride of 1536
};

struct ReceiveQueueTest : testing::Test {
  ReceiveQueueTest() { set_up({}); }
  ~ReceiveQueueTest() override { unsetenv("WARPNIC_STOP_TIMEOUT_MS"); }

  /// A queue that only needs to be started.
  void set_up(const Sizes& sizes) {
    const uint64_t bytes = packet_memory_of(sizes.packet_bytes, slots_log2_of(sizes.burst));
    memory = static_cast<char*>(context->allocate(bytes, 64, MemoryKind::kGpu).value().gpu);
    map = std::make_shared<MemoryMap>();
    ASSERT_TRUE(map->add_nic(nic).ok());
    ASSERT_TRUE(map->set_range(memory, bytes).ok());
    ASSERT_TRUE(map->start().ok());
    queue = std::make_unique<doca_eth_rxq>(nic, sizes.burst, sizes.packet_bytes);
    ASSERT_TRUE(queue->set_type(DOCA_ETH_RXQ_TYPE_CYCLIC).ok());
    ASSERT_TRUE(queue->set_gpu(context).ok());
    ASSERT_TRUE(queue->set_packet_memory(map, 0, static_cast<uint32_t>(bytes)).ok());
  }
  ReceiveHandle& handle() {
    return *reinterpret_cast<ReceiveHandle*>(queue->gpu_handle().value());
  }
  const ReceiveQueueSpec& spec() { return nic->queues.rbegin()->second; }

  std::shared_ptr<FakeGpu> gpu = std::make_shared<FakeGpu>();
  std::shared_ptr<GpuContext> context = std::make_shared<GpuContext>(gpu);
  std::shared_ptr<FakeNic> nic = std::make_shared<FakeNic>();
  std::shared_ptr<MemoryMap> map;
  std::unique_ptr<doca_eth_rxq> queue;
  char* memory = nullptr;
};

TEST(ReceiveQueueSizes, SlotsAreThePowerOfTwoThatHoldsTheBurst) {
  EXPECT_EQ(slots_log2_of(2), 1u);
  EXPECT_EQ(slots_log2_of(3), 2u);
  EXPECT_EQ(slots_log2_of(4), 2u);
  EXPECT_EQ(slots_log2_of(5), 3u);
  EXPECT_EQ(slots_log2_of(65535), 16u);
  EXPECT_EQ(slots_log2_of(65536), 16u);
}

TEST(ReceiveQueueSizes, StrideIsTheMultipleOf64ThatHoldsThePacket) {
  EXPECT_EQ(stride_of(14), 64u);
  EXPECT_EQ(stride_of(64), 64u);
  EXPECT_EQ(stride_of(65), 128u);
  EXPECT_EQ(stride_of(~0u), uint64_t{1} << 32);
  EXPECT_EQ(packet_memory_of(2048, 14), 33554432u);  // the README log of DOCA's sample
}

TEST(ReceiveQueueSizes, AreWithinTheNicsLimits) {
  NicCaps caps;
  caps.max_receive_slots = 1000;  // 512 is the largest queue
  caps.max_packet_bytes = 9000;
  EXPECT_TRUE(check_sizes(2, 14, caps).ok());
  EXPECT_TRUE(check_sizes(512, 9000, caps).ok());
  for (const auto& [burst, bytes] : {std::pair(1u, 64u), {513u, 64u}, {0u, 64u}, {~0u, 64u},
                                     {64u, 13u}, {64u, 9001u}, {64u, 0u}}) {
    EXPECT_EQ(check_sizes(burst, bytes, caps).code(), DOCA_ERROR_INVALID_VALUE);
  }
  caps.max_receive_slots = 1u << 20;
  EXPECT_TRUE(check_sizes(65536, 64, caps).ok());
  EXPECT_EQ(check_sizes(65537, 64, caps).code(), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(ReceiveQueueTest, LaysOutWhatNicAndKernelsRead) {
  nic->next_key = 0x12345680;  // the same in no two byte orders
  set_up({});
  ASSERT_TRUE(queue->start().ok());
  ASSERT_EQ(nic->queues.size(), 1u);
  EXPECT_EQ(spec().gpu, gpu);
  EXPECT_EQ(spec().slots_log2, 3u);
  EXPECT_EQ(spec().max_packet_bytes, 1514u);
  EXPECT_EQ(spec().handle, &handle());

  const uint32_t key = 0x12345680;
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(spec().descriptors[i].byte_count.get(), 1536u);
    EXPECT_EQ(spec().descriptors[i].lkey.get(), key);
    EXPECT_EQ(spec().descriptors[i].addr.get(), reinterpret_cast<uintptr_t>(memory) + i * 1536);
    EXPECT_EQ(cqe_opcode(spec().completions[i].tail.fields.op_own), kCqeInvalid);
  }
  EXPECT_EQ(spec().doorbell->receive.get(), 6u) << "eight slots, two held back";
  EXPECT_EQ(spec().doorbell->send.get(), 0u);

  EXPECT_EQ(handle().size, sizeof(ReceiveHandle));
  EXPECT_EQ(handle().version, kReceiveHandleVersion);
  EXPECT_EQ(handle().packets, reinterpret_cast<uintptr_t>(memory));
  EXPECT_EQ(handle().completions, spec().completions);
  EXPECT_EQ(handle().doorbell, spec().doorbell);
  EXPECT_EQ(handle().heartbeat, nic->heartbeat());
  EXPECT_EQ(handle().stride_bytes, 1536u);
  EXPECT_EQ(handle().slots_log2, 3u);
  EXPECT_EQ(handle().hold_back, 2u);
  EXPECT_EQ(handle().mkey_be, Big<uint32_t>::of(key).raw);
  for (const uint64_t word : {handle().consumer, handle().released, uint64_t{handle().inside},
                              uint64_t{handle().closed}, uint64_t{handle().fault}}) {
    EXPECT_EQ(word, 0u);
  }
  EXPECT_EQ(reinterpret_cast<uintptr_t>(&handle()) % 64, 0u);
  ASSERT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, TheSmallestQueueHoldsOneBack) {
  set_up({2, 14});
  ASSERT_TRUE(queue->start().ok());
  EXPECT_EQ(handle().hold_back, 1u);
  EXPECT_EQ(spec().doorbell->receive.get(), 1u);
  ASSERT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, TheLargestQueueFillsTheDoorbellsSixteenBits) {
  set_up({65536, 64});
  ASSERT_TRUE(queue->start().ok());
  EXPECT_EQ(handle().hold_back, 16384u);
  EXPECT_EQ(spec().doorbell->receive.get(), 49152u);
  ASSERT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, HoldBackCanBeSet) {
  ASSERT_TRUE(queue->set_hold_back(7).ok());
  EXPECT_EQ(queue->set_hold_back(8).code(), DOCA_ERROR_INVALID_VALUE);
  ASSERT_TRUE(queue->start().ok());
  EXPECT_EQ(handle().hold_back, 7u);
  EXPECT_EQ(spec().doorbell->receive.get(), 1u);
  EXPECT_EQ(queue->set_hold_back(1).code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(queue->stop().ok());
  ASSERT_TRUE(queue->set_hold_back(0).ok());
  ASSERT_TRUE(queue->start().ok());
  EXPECT_EQ(handle().hold_back, 2u);
  ASSERT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, NothingChangesWhileItRuns) {
  ASSERT_TRUE(queue->start().ok());
  EXPECT_EQ(queue->set_type(DOCA_ETH_RXQ_TYPE_REGULAR).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(queue->set_packet_memory(map, 0, 64).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(queue->set_gpu(nullptr).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(queue->start().code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(queue->stop().ok());
  ASSERT_TRUE(queue->start().ok()) << "the configuration is as before";
  ASSERT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, HandleAndIdNeedItToRun) {
  EXPECT_EQ(queue->gpu_handle().status().code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(queue->apply_queue_id(3).code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(queue->start().ok());
  EXPECT_TRUE(queue->gpu_handle().ok());
  EXPECT_TRUE(queue->apply_queue_id(3).ok());
  ASSERT_TRUE(queue->stop().ok());
  EXPECT_EQ(queue->gpu_handle().status().code(), DOCA_ERROR_BAD_STATE);
}

TEST_F(ReceiveQueueTest, StartNamesWhatIsMissing) {
  doca_eth_rxq bare(nic, 6, 1514);
  EXPECT_EQ(bare.start().code(), DOCA_ERROR_NOT_SUPPORTED) << "no GPU: a CPU data path";
  ASSERT_TRUE(bare.set_gpu(context).ok());
  const Status type = bare.start();
  EXPECT_EQ(type.code(), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(type.cause().find("doca_eth_rxq_set_type"), std::string::npos);
  ASSERT_TRUE(bare.set_type(DOCA_ETH_RXQ_TYPE_CYCLIC).ok());
  const Status memory_missing = bare.start();
  EXPECT_EQ(memory_missing.code(), DOCA_ERROR_BAD_STATE);
  EXPECT_NE(memory_missing.cause().find("doca_eth_rxq_set_pkt_buf"), std::string::npos);
  ASSERT_TRUE(bare.set_packet_memory(map, 0, 12287).ok());
  const Status too_small = bare.start();
  EXPECT_EQ(too_small.code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_NE(too_small.cause().find("12287"), std::string::npos);
  EXPECT_NE(too_small.cause().find("12288"), std::string::npos);
  EXPECT_TRUE(nic->queues.empty());
  EXPECT_EQ(context->running, 0u);
}

TEST_F(ReceiveQueueTest, PacketMemoryIsCheckedAgainAtTheStart) {
  ASSERT_TRUE(map->stop().ok());
  EXPECT_EQ(queue->start().code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(map->set_range(memory, 12224).ok());
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(queue->start().code(), DOCA_ERROR_INVALID_VALUE) << "the map has shrunk";
  ASSERT_TRUE(map->stop().ok());
  ASSERT_TRUE(map->set_range(memory, 12288).ok());
  ASSERT_TRUE(map->set_permissions(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY).ok());
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(queue->start().code(), DOCA_ERROR_NOT_PERMITTED);
  ASSERT_TRUE(map->stop().ok());
  ASSERT_TRUE(map->set_permissions(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE).ok());
  ASSERT_TRUE(map->remove_nic(*nic).ok());
  ASSERT_TRUE(map->add_nic(std::make_shared<FakeNic>("0000:fe:01.0")).ok());
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(queue->start().code(), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(queue->state(), DOCA_CTX_STATE_IDLE);
  EXPECT_TRUE(map->stop().ok()) << "no failed start holds it";
}

TEST_F(ReceiveQueueTest, AStartThatFailsAtAnyStepLeavesNothing) {
  const size_t before = gpu->pieces();
  const auto expect_nothing_left = [&](const char* what) {
    EXPECT_EQ(queue->state(), DOCA_CTX_STATE_IDLE) << what;
    EXPECT_EQ(gpu->pieces(), before) << what;
    EXPECT_EQ(context->running, 0u) << what;
    EXPECT_TRUE(nic->queues.empty()) << what;
  };
  unsigned failures = 0;
  for (unsigned step = 0;; ++step, ++failures) {
    gpu->allocations_until_failure = step;
    const Status status = queue->start();
    gpu->allocations_until_failure = FakeGpu::kNever;
    if (status.ok()) break;
    EXPECT_EQ(status.code(), DOCA_ERROR_NO_MEMORY);
    expect_nothing_left("allocation");
  }
  EXPECT_EQ(failures, 4u) << "descriptors, completions, doorbell, handle";
  ASSERT_TRUE(queue->stop().ok());
  const size_t after_one_run = gpu->pieces();
  EXPECT_EQ(after_one_run, before + 1) << "the handle that a kernel may hold";

  for (unsigned step = 0; step < 4; ++step) {
    gpu->writes_until_failure = step;
    EXPECT_EQ(queue->start().code(), DOCA_ERROR_DRIVER);
    gpu->writes_until_failure = FakeGpu::kNever;
    EXPECT_EQ(gpu->pieces(), after_one_run);
  }
  nic->on_start.status = Status(DOCA_ERROR_FULL, "no room");
  EXPECT_EQ(queue->start().code(), DOCA_ERROR_FULL);
  nic->on_start = {{}, true};
  EXPECT_THROW((void)queue->start(), std::bad_alloc);
  EXPECT_EQ(gpu->pieces(), after_one_run);
  EXPECT_EQ(context->running, 0u);
  nic->on_start = {};
  EXPECT_TRUE(map->stop().ok());
}

TEST_F(ReceiveQueueTest, MemoryOfANicThatDidNotAnswerTheStartStays) {
  const size_t before = gpu->pieces();
  nic->on_start.status = Status(DOCA_ERROR_TIME_OUT, "no answer");
  EXPECT_EQ(queue->start().code(), DOCA_ERROR_TIME_OUT);
  EXPECT_EQ(queue->state(), DOCA_CTX_STATE_IDLE);
  EXPECT_EQ(gpu->pieces(), before + 4);
  EXPECT_EQ(map->stop().code(), DOCA_ERROR_IN_USE);
  EXPECT_EQ(context->running, 1u);
  ASSERT_TRUE(context->free_memory(memory).ok());
  queue.reset();
  EXPECT_EQ(gpu->pieces(), before + 4);
}

TEST_F(ReceiveQueueTest, StopTellsTheNicWhereReceiversWere) {
  ASSERT_TRUE(queue->start().ok());
  handle().consumer = 1234567890123;
  ReceiveHandle& late = handle();
  ASSERT_TRUE(queue->stop().ok());
  EXPECT_EQ(nic->consumers, std::vector<uint64_t>{1234567890123});
  EXPECT_TRUE(nic->queues.empty());
  EXPECT_EQ(late.closed, 1u) << "a kernel that calls late finds it closed";
  EXPECT_EQ(context->running, 0u);
  EXPECT_TRUE(map->stop().ok());
}

TEST_F(ReceiveQueueTest, StopWaitsForKernelsToLeave) {
  ASSERT_TRUE(queue->start().ok());
  ReceiveHandle& shared = handle();
  shared.inside = 2;
  unsigned looks = 0;
  gpu->before_load = [&](const uint32_t* word) {
    if (word != &shared.inside || shared.inside == 0) return;
    EXPECT_EQ(shared.closed, 1u) << "closed before anybody looks who is inside";
    EXPECT_TRUE(nic->consumers.empty()) << "the NIC is asked when all are out";
    if (++looks % 3 == 0) {
      --shared.inside;
      ++shared.consumer;  // what it still received counts
    }
  };
  ASSERT_TRUE(queue->stop().ok());
  EXPECT_EQ(looks, 6u);
  EXPECT_EQ(nic->consumers, std::vector<uint64_t>{2});
}

TEST_F(ReceiveQueueTest, StopIsRefusedWhileAKernelIsInside) {
  setenv("WARPNIC_STOP_TIMEOUT_MS", "20", 1);
  ASSERT_TRUE(queue->start().ok());
  ASSERT_TRUE(queue->apply_queue_id(5).ok());
  handle().inside = 1;
  const Status refused = queue->stop();
  EXPECT_EQ(refused.code(), DOCA_ERROR_IN_USE);
  EXPECT_NE(refused.cause().find("receive queue 5 of device 0000:fe:00.0"), std::string::npos)
      << refused.cause();
  EXPECT_NE(refused.cause().find("20 ms"), std::string::npos);
  EXPECT_EQ(queue->state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(handle().closed, 0u) << "open again";
  EXPECT_EQ(nic->queues.size(), 1u);
  EXPECT_EQ(context->running, 1u);
  handle().inside = 0;
  EXPECT_TRUE(queue->stop().ok());

  // The number was of that run only.
  ASSERT_TRUE(queue->start().ok());
  handle().inside = 1;
  EXPECT_NE(queue->stop().cause().find("a receive queue of device"), std::string::npos);
  handle().inside = 0;
  EXPECT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, AWrongTimeLimitIsNamedAndTheUsualOneTaken) {
  setenv("WARPNIC_STOP_TIMEOUT_MS", "soon", 1);
  ASSERT_TRUE(queue->start().ok());
  testing::internal::CaptureStderr();
  EXPECT_TRUE(queue->stop().ok());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("WARPNIC_STOP_TIMEOUT_MS is 'soon'"),
            std::string::npos);
}

TEST_F(ReceiveQueueTest, AStopThatTheNicRefusesLeavesItRunning) {
  ASSERT_TRUE(queue->start().ok());
  const size_t pieces = gpu->pieces();
  nic->on_stop.status = Status(DOCA_ERROR_TIME_OUT, "no answer");
  EXPECT_EQ(queue->stop().code(), DOCA_ERROR_TIME_OUT);
  EXPECT_EQ(queue->state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(handle().closed, 0u);
  nic->on_stop = {{}, true};
  EXPECT_THROW((void)queue->stop(), std::bad_alloc);
  EXPECT_EQ(queue->state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(handle().closed, 0u);
  EXPECT_EQ(gpu->pieces(), pieces);
  nic->on_stop = {};
  EXPECT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, EachRunHasAHandleOfItsOwn) {
  ASSERT_TRUE(queue->start().ok());
  ReceiveHandle* const first = &handle();
  first->consumer = 5;
  ASSERT_TRUE(queue->stop().ok());
  ASSERT_TRUE(queue->start().ok());
  EXPECT_NE(&handle(), first);
  EXPECT_EQ(handle().consumer, 0u);
  EXPECT_EQ(handle().closed, 0u);
  EXPECT_EQ(first->closed, 1u) << "kernels of the first run stay out";
  ASSERT_TRUE(queue->stop().ok());
}

TEST_F(ReceiveQueueTest, PacketMemoryThatIsFreedStaysUntilTheQueueIsStopped) {
  ASSERT_TRUE(queue->start().ok());
  ASSERT_TRUE(context->free_memory(memory).ok());
  EXPECT_EQ(map->stop().code(), DOCA_ERROR_IN_USE);
  EXPECT_EQ(gpu->live.count(memory), 1u);
  ASSERT_TRUE(queue->stop().ok());
  EXPECT_EQ(gpu->live.count(memory), 1u) << "the map is still started";
  ASSERT_TRUE(map->stop().ok());
  EXPECT_EQ(gpu->live.count(memory), 0u);
}

TEST_F(ReceiveQueueTest, AllMemoryIsGoneOnceAllObjectsAre) {
  ASSERT_TRUE(queue->start().ok());
  ASSERT_TRUE(queue->stop().ok());
  context.reset();
  EXPECT_GT(gpu->pieces(), 0u) << "the queue still names the GPU";
  map.reset();
  queue.reset();
  EXPECT_EQ(gpu->pieces(), 0u);
  EXPECT_TRUE(nic->regions.empty());
}

}  // namespace
}  // namespace warpnic
