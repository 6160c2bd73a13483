// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <thread>
#include <vector>

namespace warpnic {
namespace {

TEST(OpenGpu, RefusesWhatIsNoBusId) {
  for (const char* text : {"", "0", "GPU-1234", "0000:00:1f"}) {
    EXPECT_EQ(open_gpu(text).status().code(), DOCA_ERROR_INVALID_VALUE) << text;
  }
}

#if WARPNIC_TEST_CPU

TEST(OpenGpu, AnswersToTheExecutorsBusIdInAnyForm) {
  const std::vector<std::string> ids = gpu_bus_ids();
  ASSERT_EQ(ids.size(), 1u);
  std::string upper = ids[0];
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const std::string& id : {ids[0], ids[0].substr(5), upper}) {
    const auto gpu = open_gpu(id);
    ASSERT_TRUE(gpu.ok()) << id << ": " << gpu.status().cause();
    EXPECT_EQ(gpu.value()->bus_id(), ids[0]);
    EXPECT_FALSE(gpu.value()->name().empty());
    EXPECT_TRUE(gpu.value()->cpu_can_address());
  }
}

TEST(OpenGpu, NamesThoseThereAre) {
  const auto gpu = open_gpu("0000:01:00.0");
  EXPECT_EQ(gpu.status().code(), DOCA_ERROR_NOT_FOUND);
  EXPECT_NE(gpu.status().cause().find(gpu_bus_ids()[0]), std::string::npos);
}

struct CpuGpuTest : testing::Test {
  std::shared_ptr<Gpu> gpu = open_gpu(gpu_bus_ids()[0]).value();
};

TEST_F(CpuGpuTest, AllocatesZeroedAlignedMemoryOfEachKind) {
  for (const MemoryKind kind : {MemoryKind::kGpu, MemoryKind::kGpuCpu, MemoryKind::kCpuGpu}) {
    for (const size_t alignment : {1, 64, 4096, 65536}) {
      const auto memory = gpu->allocate(1000, alignment, kind);
      ASSERT_TRUE(memory.ok()) << memory.status().cause();
      const auto* const bytes = static_cast<const char*>(memory.value().gpu);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % alignment, 0u);
      EXPECT_EQ(std::vector<char>(bytes, bytes + 1000), std::vector<char>(1000));
      EXPECT_EQ(memory.value().cpu == nullptr, kind == MemoryKind::kGpu);
      EXPECT_TRUE(gpu->free(memory.value().gpu).ok());
    }
  }
}

TEST_F(CpuGpuTest, RefusesSizesAndAlignmentsThatCannotBe) {
  EXPECT_EQ(gpu->allocate(0, 64, MemoryKind::kGpu).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->allocate(64, 0, MemoryKind::kGpu).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->allocate(64, 48, MemoryKind::kGpu).status().code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->allocate(SIZE_MAX, 64, MemoryKind::kGpu).status().code(), DOCA_ERROR_NO_MEMORY);
  const size_t huge = size_t{1} << 63;
  EXPECT_EQ(gpu->allocate(64, huge, MemoryKind::kGpu).status().code(), DOCA_ERROR_NO_MEMORY);
}

TEST_F(CpuGpuTest, FreesOnlyWhatItAllocatedAndOnce) {
  char* const memory =
      static_cast<char*>(gpu->allocate(256, 64, MemoryKind::kGpu).value().gpu);
  EXPECT_EQ(gpu->free(memory + 64).code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(gpu->free(nullptr).code(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(open_gpu(gpu->bus_id()).value()->free(memory).code(), DOCA_ERROR_INVALID_VALUE)
      << "another opening's";
  EXPECT_TRUE(gpu->free(memory).ok());
  EXPECT_EQ(gpu->free(memory).code(), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CpuGpuTest, CopiesBothWays) {
  void* const memory = gpu->allocate(64, 64, MemoryKind::kGpu).value().gpu;
  ASSERT_TRUE(gpu->write(memory, "frames", 7).ok());
  char back[7] = "";
  ASSERT_TRUE(gpu->read(back, memory, 7).ok());
  EXPECT_STREQ(back, "frames");
  EXPECT_TRUE(gpu->free(memory).ok());
}

/// Each stores its word, then loads the other's: full fences forbid that both see the old value.
TEST_F(CpuGpuTest, WordsAreStoredAndLoadedWithFullFences) {
  auto* const words = static_cast<uint32_t*>(gpu->allocate(256, 64, MemoryKind::kGpu).value().gpu);
  uint32_t* const mine = words;
  uint32_t* const theirs = words + 32;
  constexpr uint32_t kRounds = 200000;
  std::atomic<uint32_t> go{0}, done{0};
  uint32_t seen_by_peer = 0;
  std::thread peer([&] {
    for (uint32_t round = 1; round <= kRounds; ++round) {
      while (go.load() != round) std::this_thread::yield();
      gpu->store_word(theirs, round);
      seen_by_peer = gpu->load_word(mine);
      done.store(round);
    }
  });
  unsigned both_old = 0;
  for (uint32_t round = 1; round <= kRounds; ++round) {
    go.store(round);
    // The peer sees it a little later, so that the two stores meet in some of the rounds.
    for (volatile uint32_t wait = round % 128; wait != 0;) wait = wait - 1;
    gpu->store_word(mine, round);
    const uint32_t seen = gpu->load_word(theirs);
    while (done.load() != round) std::this_thread::yield();
    if (seen != round && seen_by_peer != round) ++both_old;
  }
  peer.join();
  EXPECT_EQ(both_old, 0u);
  EXPECT_TRUE(gpu->free(words).ok());
}

#else

TEST(OpenGpu, SaysThatCudaDevicesAreNotFedYet) {
  const auto gpu = open_gpu("0000:01:00.0");
  EXPECT_EQ(gpu.status().code(), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(gpu.status().cause().find("0000:01:00.0"), std::string::npos);
  EXPECT_TRUE(gpu_bus_ids().empty());
}

#endif

}  // namespace
}  // namespace warpnic
