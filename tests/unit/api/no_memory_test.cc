// SPDX-License-Identifier: Apache-2.0
// The host runs out of memory at the first, second, third ... allocation of each call: the call
// answers with a code, changes nothing, and succeeds when it is made again.
#include <cstdlib>
#include <functional>
#include <new>

#include "doca_log.h"
#include "kit.h"
#include "warpnic/virtual_nic.hpp"

namespace {

constexpr unsigned kNever = ~0u;
thread_local unsigned allocations_left = kNever;  ///< of this thread; then one fails

}  // namespace

// GCC pairs a new that it has inlined with the free of this delete.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif
void* operator new(size_t bytes) {
  if (allocations_left != kNever && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace warpnic::test {
namespace {

/// Calls until no allocation is left to fail.
void expect_survives(const char* what, const std::function<doca_error_t()>& call) {
  for (unsigned allocation = 0; allocation < 1000; ++allocation) {
    allocations_left = allocation;
    const doca_error_t status = call();
    const bool all_succeeded = allocations_left != kNever;
    allocations_left = kNever;
    if (all_succeeded) {
      EXPECT_EQ(status, DOCA_SUCCESS) << what;
      return;
    }
    // A message that found no memory may be lost without harm to the call.
    if (status == DOCA_SUCCESS) return;
    EXPECT_EQ(status, DOCA_ERROR_NO_MEMORY) << what << ", allocation " << allocation;
  }
  ADD_FAILURE() << what << " never came to an end";
}

using NoMemoryTest = ApiTest;

// covers: doca_mmap_create NO_MEMORY, doca_pe_create NO_MEMORY, doca_eth_rxq_create NO_MEMORY
// covers: doca_dev_open NO_MEMORY, doca_devinfo_create_list NO_MEMORY, doca_gpu_create NO_MEMORY
// covers: doca_log_backend_create_standard SUCCESS NO_MEMORY
// covers: doca_log_backend_create_with_file NO_MEMORY, doca_log_register_source SUCCESS NO_MEMORY
// covers: doca_log_backend_create_with_file_sdk NO_MEMORY
TEST_F(NoMemoryTest, EachCallAnswersWithTheCode) {
  doca_devinfo** list = nullptr;
  uint32_t count = 0;
  ASSERT_EQ(doca_devinfo_create_list(&list, &count), DOCA_SUCCESS);
  ASSERT_EQ(doca_devinfo_destroy_list(list), DOCA_SUCCESS);
  expect_survives("list", [&] { return doca_devinfo_create_list(&list, &count); });
  EXPECT_EQ(doca_devinfo_destroy_list(list), DOCA_SUCCESS);
  doca_dev* opened = nullptr;
  expect_survives("open", [&] { return doca_dev_open(doca_dev_as_devinfo(dev), &opened); });
  EXPECT_EQ(doca_dev_close(opened), DOCA_SUCCESS);
  doca_pe* pe = nullptr;
  expect_survives("pe", [&] { return doca_pe_create(&pe); });
  for (const std::string& id : gpu_bus_ids()) {
    doca_gpu* second = nullptr;
    expect_survives("gpu", [&] { return doca_gpu_create(id.c_str(), &second); });
    EXPECT_EQ(doca_gpu_destroy(second), DOCA_SUCCESS);
  }
  expect_survives("alloc", [&] {
    return doca_gpu_mem_alloc(gpu, kPacketMemory, 64, DOCA_GPU_MEM_TYPE_GPU, &memory, nullptr);
  });
  EXPECT_EQ(fake_gpu->pieces(), 1u) << "no failed call left something behind";
  expect_survives("map", [&] { return doca_mmap_create(&mmap); });
  expect_survives("add", [&] { return doca_mmap_add_dev(mmap, dev); });
  ASSERT_EQ(doca_mmap_set_memrange(mmap, memory, kPacketMemory), DOCA_SUCCESS);
  expect_survives("start map", [&] { return doca_mmap_start(mmap); });
  EXPECT_EQ(nic->regions.size(), 1u);
  expect_survives("queue", [&] { return doca_eth_rxq_create(dev, kBurst, kPacketBytes, &rxq); });
  ASSERT_EQ(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC), DOCA_SUCCESS);
  ASSERT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, kPacketMemory), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_set_datapath_on_gpu(ctx(), gpu), DOCA_SUCCESS);
  expect_survives("connect", [&] { return doca_pe_connect_ctx(pe, ctx()); });
  expect_survives("start", [&] { return doca_ctx_start(ctx()); });
  EXPECT_EQ(state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(nic->queues.size(), 1u);
  EXPECT_EQ(fake_gpu->pieces(), 1u + 4u);
  expect_survives("stop", [&] { return doca_ctx_stop(ctx()); });
  EXPECT_EQ(state(), DOCA_CTX_STATE_IDLE);
  EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS);

  expect_survives("standard", [] { return doca_log_backend_create_standard(); });
  FILE* const file = fopen("/dev/null", "w");
  doca_log_backend* backend = nullptr;
  expect_survives("file", [&] { return doca_log_backend_create_with_file(file, &backend); });
  expect_survives("sdk", [&] { return doca_log_backend_create_with_file_sdk(file, &backend); });
  int source = -1;
  expect_survives("source", [&] {
    return doca_log_register_source("a source with a name that is not short", &source);
  });
  NicStatistics statistics;
  expect_survives("statistics", [&] { return get_nic_statistics(dev, &statistics); });
}

TEST_F(NoMemoryTest, AnErrorWithoutMemoryForItsMessageIsStillACode) {
  start_queue();
  for (unsigned allocation = 0; allocation < 20; ++allocation) {
    allocations_left = allocation;
    const doca_error_t again = doca_ctx_start(ctx());
    const doca_error_t null = doca_ctx_start(nullptr);
    allocations_left = kNever;
    EXPECT_TRUE(again == DOCA_ERROR_BAD_STATE || again == DOCA_ERROR_NO_MEMORY) << again;
    EXPECT_TRUE(null == DOCA_ERROR_INVALID_VALUE || null == DOCA_ERROR_NO_MEMORY) << null;
    EXPECT_EQ(state(), DOCA_CTX_STATE_RUNNING);
  }
}

}  // namespace
}  // namespace warpnic::test
