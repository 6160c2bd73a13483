// SPDX-License-Identifier: Apache-2.0
// What a program has before it uses the interface: a device and a GPU, both fakes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api/objects.h"
#include "core/fakes.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_eth_rxq.h"
#include "doca_eth_rxq_gpu_data_path.h"
#include "doca_gpunetio.h"
#include "doca_mmap.h"
#include "doca_pe.h"

namespace warpnic::test {

/// A pointer that a failed call must leave as it is.
template <class T>
T* untouched() {
  return reinterpret_cast<T*>(uintptr_t{0x5a5a5a5a5a5a5a5a});
}

/// Whatever the program left there is given back by the fixture where it still can be.
struct ApiTest : testing::Test {
  static constexpr uint32_t kBurst = 6;           // 8 slots
  static constexpr uint32_t kPacketBytes = 1514;  // a stride of 1536
  static constexpr uint32_t kPacketMemory = 8 * 1536;

  ApiTest() {
    dev = api::Objects<doca_dev>::add(std::make_unique<doca_dev>(nic));
    gpu = api::Objects<doca_gpu>::add(
        std::make_unique<doca_gpu>(doca_gpu{std::make_shared<GpuContext>(fake_gpu)}));
  }
  ~ApiTest() override {
    unsetenv("WARPNIC_STOP_TIMEOUT_MS");
    if (rxq && api::Objects<doca_eth_rxq>::is_alive(rxq)) {
      (void)doca_ctx_stop(ctx());
      (void)doca_eth_rxq_destroy(rxq);
    }
    if (mmap && api::Objects<doca_mmap>::is_alive(mmap)) (void)doca_mmap_destroy(mmap);
    if (api::Objects<doca_dev>::is_alive(dev)) (void)doca_dev_close(dev);
    if (api::Objects<doca_gpu>::is_alive(gpu)) (void)doca_gpu_destroy(gpu);
  }

  doca_ctx* ctx() const { return doca_eth_rxq_as_doca_ctx(rxq); }
  doca_ctx_states state() const {
    doca_ctx_states now = DOCA_CTX_STATE_STOPPING;
    EXPECT_EQ(doca_ctx_get_state(ctx(), &now), DOCA_SUCCESS);
    return now;
  }

  /// Packet memory, and a started map over it.
  void make_map() {
    ASSERT_EQ(doca_gpu_mem_alloc(gpu, kPacketMemory, 64, DOCA_GPU_MEM_TYPE_GPU, &memory, nullptr),
              DOCA_SUCCESS);
    ASSERT_EQ(doca_mmap_create(&mmap), DOCA_SUCCESS);
    ASSERT_EQ(doca_mmap_add_dev(mmap, dev), DOCA_SUCCESS);
    ASSERT_EQ(doca_mmap_set_memrange(mmap, memory, kPacketMemory), DOCA_SUCCESS);
    ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  }
  /// A queue that only needs to be started.
  void make_queue() {
    make_map();
    ASSERT_EQ(doca_eth_rxq_create(dev, kBurst, kPacketBytes, &rxq), DOCA_SUCCESS);
    ASSERT_EQ(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC), DOCA_SUCCESS);
    ASSERT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, kPacketMemory), DOCA_SUCCESS);
    ASSERT_EQ(doca_ctx_set_datapath_on_gpu(ctx(), gpu), DOCA_SUCCESS);
  }
  void start_queue() {
    make_queue();
    ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  }
  /// What kernels see, as the fake GPU's memory is the host's.
  ReceiveHandle& handle() const {
    doca_gpu_eth_rxq* of_kernels = nullptr;
    EXPECT_EQ(doca_eth_rxq_get_gpu_handle(rxq, &of_kernels), DOCA_SUCCESS);
    return *reinterpret_cast<ReceiveHandle*>(of_kernels);
  }

  std::shared_ptr<FakeNic> nic = std::make_shared<FakeNic>();
  std::shared_ptr<FakeGpu> fake_gpu = std::make_shared<FakeGpu>();
  doca_dev* dev = nullptr;
  doca_gpu* gpu = nullptr;
  doca_mmap* mmap = nullptr;
  doca_eth_rxq* rxq = nullptr;
  void* memory = nullptr;
};

}  // namespace warpnic::test
