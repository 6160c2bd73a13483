// SPDX-License-Identifier: Apache-2.0
// The orders in which existing programs give their objects back.
#include "kit.h"

namespace warpnic::test {
namespace {

using OrderTest = ApiTest;

/// Nothing of the program is left at NIC and GPU.
void expect_clean(FakeNic& nic, FakeGpu& gpu) {
  EXPECT_TRUE(nic.regions.empty());
  EXPECT_TRUE(nic.queues.empty());
  EXPECT_EQ(gpu.pieces(), 0u);
}

TEST_F(OrderTest, MemoryFirstThenQueueThenAMapThatWasNeverStopped) {
  start_queue();
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_mem_free(gpu, memory), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_SUCCESS);
  expect_clean(*nic, *fake_gpu);
}

TEST_F(OrderTest, MemoryIsFreedWhileTheQueueRuns) {
  start_queue();
  EXPECT_EQ(doca_gpu_mem_free(gpu, memory), DOCA_SUCCESS);
  EXPECT_EQ(fake_gpu->live.count(memory), 1u) << "the queue still writes there";
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
  EXPECT_EQ(fake_gpu->live.count(memory), 0u);
}

TEST_F(OrderTest, DeviceIsClosedFirst) {
  start_queue();
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
  uint32_t key = 0;
  EXPECT_EQ(doca_mmap_get_mkey(mmap, dev, &key), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(nic->queues.size(), 1u) << "the queue runs on";
  EXPECT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS) << "also anew";
  EXPECT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_SUCCESS);
  expect_clean(*nic, *fake_gpu);
}

TEST_F(OrderTest, GpuIsClosedBeforeQueueMapAndEngine) {
  doca_pe* pe = nullptr;
  make_queue();
  ASSERT_EQ(doca_pe_create(&pe), DOCA_SUCCESS);
  ASSERT_EQ(doca_pe_connect_ctx(pe, ctx()), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_SUCCESS);
  EXPECT_EQ(fake_gpu->live.count(memory), 1u) << "the map is still started";
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS);
  expect_clean(*nic, *fake_gpu);
}

TEST_F(OrderTest, StoppedMapGivesItsDeviceBackThenGoesThenItsMemory) {
  make_map();
  EXPECT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_rm_dev(mmap, dev), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_mem_free(gpu, memory), DOCA_SUCCESS);
  expect_clean(*nic, *fake_gpu);
}

TEST_F(OrderTest, ALeakedMapDoesNotKeepTheDeviceOpen) {
  make_map();
  doca_mmap* leaked = nullptr;
  ASSERT_EQ(doca_mmap_create(&leaked), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_add_dev(leaked, dev), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(leaked), DOCA_SUCCESS);
}

TEST_F(OrderTest, MapIsDestroyedBeforeTheIdleQueueThatWouldUseIt) {
  make_queue();
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_BAD_STATE) << "its packet memory is gone";
  EXPECT_TRUE(nic->queues.empty());
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
}

TEST_F(OrderTest, AQueueStartsAndStopsManyTimes) {
  make_queue();
  for (int run = 0; run < 100; ++run) {
    ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
    handle().consumer = 7;
    ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  }
  EXPECT_EQ(fake_gpu->pieces(), 1u + 100u) << "packet memory, and a handle of each run";
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_SUCCESS);
  expect_clean(*nic, *fake_gpu);
}

}  // namespace
}  // namespace warpnic::test
