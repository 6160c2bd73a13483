// SPDX-License-Identifier: Apache-2.0
#include "core/gpu_context.h"

#include <gtest/gtest.h>

#include "fakes.h"

namespace warpnic {
namespace {

using test::FakeGpu;

struct GpuContextTest : testing::Test {
  char* allocate(size_t bytes) {
    return static_cast<char*>(context->allocate(bytes, 64, MemoryKind::kGpu).value().gpu);
  }
  std::shared_ptr<FakeGpu> gpu = std::make_shared<FakeGpu>();
  std::shared_ptr<GpuContext> context = std::make_shared<GpuContext>(gpu);
};

TEST_F(GpuContextTest, FreesWhatItAllocatedOnce) {
  void* const memory = context->allocate(1000, 64, MemoryKind::kCpuGpu).value().gpu;
  EXPECT_EQ(gpu->live.count(memory), 1u);
  EXPECT_TRUE(context->free_memory(memory).ok());
  EXPECT_EQ(gpu->pieces(), 0u);
  EXPECT_EQ(context->free_memory(memory).code(), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(GpuContextTest, RefusesToFreeAnAddressInsideAnAllocation) {
  char* const memory = allocate(1000);
  EXPECT_EQ(context->free_memory(memory + 64).code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->pieces(), 1u);
}

TEST_F(GpuContextTest, PassesTheGpusRefusalOn) {
  gpu->allocations_until_failure = 0;
  EXPECT_EQ(context->allocate(1, 64, MemoryKind::kGpu).status().code(), DOCA_ERROR_NO_MEMORY);
  EXPECT_EQ(context->allocate_handle(1).status().code(), DOCA_ERROR_NO_MEMORY);
}

TEST_F(GpuContextTest, FindsTheAllocationThatHoldsAnAddress) {
  char* const memory = allocate(1000);
  for (const int inside : {0, 1, 999}) {
    const auto found = find_allocation(memory + inside);
    ASSERT_TRUE(found) << inside;
    EXPECT_EQ(found->begin(), reinterpret_cast<uintptr_t>(memory));
  }
  EXPECT_FALSE(find_allocation(memory + 1000));
  EXPECT_FALSE(find_allocation(memory - 1));
  EXPECT_FALSE(find_allocation(nullptr));
}

TEST_F(GpuContextTest, FreeingIsDeferredUntilTheLastUserIsGone) {
  char* const memory = allocate(100);
  std::shared_ptr<Allocation> user = find_allocation(memory);
  EXPECT_TRUE(context->free_memory(memory).ok());
  EXPECT_EQ(gpu->live.count(memory), 1u);
  std::shared_ptr<Allocation> second_user = find_allocation(memory + 50);
  EXPECT_EQ(second_user, user);
  user.reset();
  EXPECT_EQ(gpu->live.count(memory), 1u);
  second_user.reset();
  EXPECT_EQ(gpu->pieces(), 0u);
  EXPECT_FALSE(find_allocation(memory));
}

TEST_F(GpuContextTest, GoesWithItsMemoryButForWhatIsInUse) {
  void* const used = context->allocate(100, 64, MemoryKind::kGpu).value().gpu;
  (void)context->allocate(100, 64, MemoryKind::kGpu);
  (void)context->allocate_handle(192);
  std::shared_ptr<Allocation> user = find_allocation(used);
  context.reset();
  EXPECT_EQ(gpu->pieces(), 1u);
  EXPECT_EQ(gpu->live.count(used), 1u);
  user.reset();
  EXPECT_EQ(gpu->pieces(), 0u);
}

TEST_F(GpuContextTest, HandlesStayAsLongAsTheContextUnlessNobodySawThem) {
  void* const seen = context->allocate_handle(192).value();
  void* const unseen = context->allocate_handle(192).value();
  context->free_unseen_handle(unseen);
  EXPECT_EQ(gpu->live.count(seen), 1u);
  EXPECT_EQ(gpu->live.count(unseen), 0u);
  EXPECT_EQ(context->free_memory(seen).code(), DOCA_ERROR_INVALID_VALUE);
  context.reset();
  EXPECT_EQ(gpu->pieces(), 0u);
}

}  // namespace
}  // namespace warpnic
