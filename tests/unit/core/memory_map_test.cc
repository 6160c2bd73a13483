// SPDX-License-Identifier: Apache-2.0
#include "core/memory_map.h"

#include <gtest/gtest.h>

#include "doca_types.h"
#include "fakes.h"

namespace warpnic {
namespace {

using test::FakeGpu;
using test::FakeNic;

struct MemoryMapTest : testing::Test {
  MemoryMapTest() {
    memory = static_cast<char*>(context->allocate(4096, 4096, MemoryKind::kGpu).value().gpu);
  }
  /// Configured, not started.
  void configure() {
    ASSERT_TRUE(map->add_nic(nic).ok());
    ASSERT_TRUE(map->set_range(memory, 4096).ok());
  }
  void configure_and_start() {
    configure();
    ASSERT_TRUE(map->start().ok());
  }
  std::shared_ptr<FakeGpu> gpu = std::make_shared<FakeGpu>();
  std::shared_ptr<GpuContext> context = std::make_shared<GpuContext>(gpu);
  std::shared_ptr<FakeNic> nic = std::make_shared<FakeNic>();
  std::shared_ptr<FakeNic> other = std::make_shared<FakeNic>("0000:fe:01.0");
  std::shared_ptr<MemoryMap> map = std::make_shared<MemoryMap>();
  char* memory = nullptr;
};

TEST_F(MemoryMapTest, RegistersItsRangeWithAllNicsAndTakesItBack) {
  other->next_key = 77;
  configure();
  ASSERT_TRUE(map->add_nic(other).ok());
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(nic->regions[0], std::pair(static_cast<void*>(memory), size_t{4096}));
  EXPECT_EQ(map->key(*nic).value(), 0u);
  EXPECT_EQ(map->key(*other).value(), 77u);
  ASSERT_TRUE(map->stop().ok());
  EXPECT_TRUE(nic->regions.empty());
  EXPECT_TRUE(other->regions.empty());
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(map->key(*nic).value(), 1u);
}

TEST_F(MemoryMapTest, StartNeedsRangeAndNic) {
  EXPECT_EQ(map->start().code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(map->add_nic(nic).ok());
  const Status no_range = map->start();
  EXPECT_EQ(no_range.code(), DOCA_ERROR_BAD_STATE);
  EXPECT_NE(no_range.cause().find("set_memrange"), std::string::npos);
  ASSERT_TRUE(map->remove_nic(*nic).ok());
  ASSERT_TRUE(map->set_range(memory, 4096).ok());
  const Status no_nic = map->start();
  EXPECT_EQ(no_nic.code(), DOCA_ERROR_BAD_STATE);
  EXPECT_NE(no_nic.cause().find("add_dev"), std::string::npos);
  EXPECT_FALSE(map->started());
}

TEST_F(MemoryMapTest, NothingChangesWhileItIsStarted) {
  configure_and_start();
  EXPECT_EQ(map->start().code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(map->add_nic(other).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(map->remove_nic(*nic).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(map->set_most_nics(2).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(map->set_range(memory, 64).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(map->set_permissions(0).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_TRUE(map->check_packet_memory(0, 4096).ok()) << "range and permissions are as before";
  EXPECT_EQ(nic->regions.size(), 1u);
}

TEST_F(MemoryMapTest, KeysAreThereOnlyWhileStartedAndForMembers) {
  configure();
  EXPECT_EQ(map->key(*nic).status().code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(map->key(*other).status().code(), DOCA_ERROR_NOT_FOUND);
  ASSERT_TRUE(map->stop().ok());
  EXPECT_EQ(map->stop().code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(map->key(*nic).status().code(), DOCA_ERROR_BAD_STATE);
}

TEST_F(MemoryMapTest, CountsItsNics) {
  ASSERT_TRUE(map->set_most_nics(1).ok());
  ASSERT_TRUE(map->add_nic(nic).ok());
  EXPECT_EQ(map->add_nic(nic).code(), DOCA_ERROR_ALREADY_EXIST);
  EXPECT_EQ(map->add_nic(other).code(), DOCA_ERROR_FULL);
  ASSERT_TRUE(map->set_most_nics(2).ok());
  ASSERT_TRUE(map->add_nic(other).ok());
  EXPECT_EQ(map->set_most_nics(1).code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map->set_most_nics(0).code(), DOCA_ERROR_INVALID_VALUE);
  ASSERT_TRUE(map->remove_nic(*other).ok());
  EXPECT_EQ(map->remove_nic(*other).code(), DOCA_ERROR_NOT_FOUND);
}

TEST_F(MemoryMapTest, RefusesRangesThatCannotBe) {
  configure();
  EXPECT_EQ(map->set_range(memory, 0).code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map->set_range(memory, SIZE_MAX).code(), DOCA_ERROR_INVALID_VALUE);
  ASSERT_TRUE(map->set_range(memory + 64, 4096).ok());
  const Status status = map->start();
  EXPECT_EQ(status.code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_NE(status.cause().find("4096"), std::string::npos);
  EXPECT_FALSE(map->started());
  EXPECT_TRUE(nic->regions.empty());
  ASSERT_TRUE(map->set_range(memory + 64, 4032).ok());
  EXPECT_TRUE(map->start().ok());
}

TEST_F(MemoryMapTest, RefusesUnknownPermissions) {
  EXPECT_EQ(map->set_permissions(1u << 31).code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(map->set_permissions(DOCA_ACCESS_FLAG_LOCAL_READ_WRITE |
                                   DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING)
                  .ok());
}

TEST_F(MemoryMapTest, StartIsAllOrNone) {
  configure();
  ASSERT_TRUE(map->add_nic(other).ok());
  other->on_register.status = Status(DOCA_ERROR_NO_MEMORY, "no room");
  EXPECT_EQ(map->start().code(), DOCA_ERROR_NO_MEMORY);
  EXPECT_TRUE(nic->regions.empty());
  EXPECT_FALSE(map->started());
  other->on_register = {{}, true};
  EXPECT_THROW((void)map->start(), std::bad_alloc);
  EXPECT_TRUE(nic->regions.empty());
  EXPECT_FALSE(map->started());
  other->on_register = {};
  EXPECT_TRUE(map->start().ok());
}

TEST_F(MemoryMapTest, KeepsGpuMemoryWhileStartedThoughItIsFreed) {
  configure_and_start();
  ASSERT_TRUE(context->free_memory(memory).ok());
  EXPECT_EQ(gpu->live.count(memory), 1u);
  ASSERT_TRUE(map->stop().ok());
  EXPECT_EQ(gpu->pieces(), 0u);
}

TEST_F(MemoryMapTest, KeepsGpuMemoryThoughTheGpuIsClosed) {
  configure_and_start();
  context.reset();
  EXPECT_EQ(gpu->live.count(memory), 1u);
  map.reset();
  EXPECT_EQ(gpu->pieces(), 0u);
  EXPECT_TRUE(nic->regions.empty());
}

TEST_F(MemoryMapTest, TakesMemoryOfTheCpu) {
  std::vector<char> bytes(256);
  ASSERT_TRUE(map->add_nic(nic).ok());
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()).ok());
  EXPECT_TRUE(map->start().ok());
  EXPECT_EQ(nic->regions[0].first, bytes.data());
}

TEST_F(MemoryMapTest, IsNotStoppedWhileAQueueHoldsIt) {
  configure_and_start();
  const auto packets = map->acquire(*nic, 64, 1024);
  ASSERT_TRUE(packets.ok());
  EXPECT_EQ(packets.value().address, reinterpret_cast<uintptr_t>(memory) + 64);
  EXPECT_EQ(packets.value().key, 0u);
  EXPECT_EQ(map->stop().code(), DOCA_ERROR_IN_USE);
  EXPECT_TRUE(map->started());
  EXPECT_EQ(nic->regions.size(), 1u);
  map->release();
  EXPECT_TRUE(map->stop().ok());
}

TEST_F(MemoryMapTest, ARefusedQueueDoesNotHoldIt) {
  configure();
  EXPECT_EQ(map->acquire(*nic, 0, 64).status().code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(map->acquire(*other, 0, 64).status().code(), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(map->acquire(*nic, 0, 0).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map->acquire(*nic, 0, 4097).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map->acquire(*nic, 4096, 64).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map->acquire(*nic, ~uint64_t{0}, 64).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map->acquire(*nic, 32, 64).status().code(), DOCA_ERROR_INVALID_VALUE);
  ASSERT_TRUE(map->stop().ok());
  ASSERT_TRUE(map->set_permissions(DOCA_ACCESS_FLAG_LOCAL_READ_ONLY).ok());
  ASSERT_TRUE(map->start().ok());
  EXPECT_EQ(map->acquire(*nic, 0, 64).status().code(), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_TRUE(map->stop().ok());
}

TEST_F(MemoryMapTest, MemoryOfANicThatDoesNotAnswerIsNeverFreed) {
  configure();
  ASSERT_TRUE(map->add_nic(other).ok());
  ASSERT_TRUE(map->start().ok());
  nic->on_deregister.status = Status(DOCA_ERROR_TIME_OUT, "no answer");
  EXPECT_EQ(map->stop().code(), DOCA_ERROR_TIME_OUT);
  EXPECT_FALSE(map->started());
  EXPECT_TRUE(other->regions.empty()) << "the one that answers is asked all the same";
  map.reset();
  context.reset();
  EXPECT_EQ(gpu->live.count(memory), 1u);
}

}  // namespace
}  // namespace warpnic
