// SPDX-License-Identifier: Apache-2.0
// doca_eth_rxq.h and doca_eth_rxq_gpu_data_path.h. How queues start and stop: unit/eth.
#include "kit.h"

namespace warpnic::test {
namespace {

using EthRxqTest = ApiTest;

// covers: doca_eth_rxq_cap_get_max_burst_size SUCCESS INVALID_VALUE
// covers: doca_eth_rxq_cap_get_max_packet_size SUCCESS INVALID_VALUE
// covers: doca_eth_rxq_cap_get_max_recv_buf_list_len SUCCESS INVALID_VALUE
// covers: doca_eth_rxq_cap_get_max_lro_packet_size SUCCESS INVALID_VALUE
// covers: doca_eth_rxq_cap_get_max_metadata_num SUCCESS INVALID_VALUE
TEST_F(EthRxqTest, CapabilitiesAreTheDevices) {
  nic->limits.max_receive_slots = 4096;
  nic->limits.max_packet_bytes = 9216;
  doca_devinfo* const info = doca_dev_as_devinfo(dev);
  const struct {
    doca_error_t (*get)(const doca_devinfo*, uint32_t*);
    uint32_t expected;
  } queries[] = {{doca_eth_rxq_cap_get_max_burst_size, 4096},
                 {doca_eth_rxq_cap_get_max_packet_size, 9216},
                 {doca_eth_rxq_cap_get_max_recv_buf_list_len, 1},
                 {doca_eth_rxq_cap_get_max_lro_packet_size, 0}};
  for (const auto& query : queries) {
    uint32_t value = 42;
    EXPECT_EQ(query.get(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(query.get(info, nullptr), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(value, 42u);
    EXPECT_EQ(query.get(info, &value), DOCA_SUCCESS);
    EXPECT_EQ(value, query.expected);
  }
  uint8_t words = 42;
  EXPECT_EQ(doca_eth_rxq_cap_get_max_metadata_num(nullptr, &words), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_cap_get_max_metadata_num(info, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_cap_get_max_metadata_num(info, &words), DOCA_SUCCESS);
  EXPECT_EQ(words, 0);
  EXPECT_EQ(doca_eth_rxq_create(dev, 4097, 64, &rxq), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_create(dev, 4096, 9217, &rxq), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_create(dev, 4096, 9216, &rxq), DOCA_SUCCESS);
}

// covers: doca_eth_rxq_cap_is_type_supported SUCCESS NOT_SUPPORTED INVALID_VALUE
TEST_F(EthRxqTest, OnlyCyclicOnAGpuIsSupported) {
  doca_devinfo* const info = doca_dev_as_devinfo(dev);
  for (const auto type : {DOCA_ETH_RXQ_TYPE_REGULAR, DOCA_ETH_RXQ_TYPE_CYCLIC,
                          DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL}) {
    for (const auto path : {DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU, DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU}) {
      const bool can =
          type == DOCA_ETH_RXQ_TYPE_CYCLIC && path == DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU;
      EXPECT_EQ(doca_eth_rxq_cap_is_type_supported(info, type, path),
                can ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED);
    }
  }
  EXPECT_EQ(doca_eth_rxq_cap_is_type_supported(nullptr, DOCA_ETH_RXQ_TYPE_CYCLIC,
                                               DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU),
            DOCA_ERROR_INVALID_VALUE);
}

// covers: doca_eth_rxq_create SUCCESS INVALID_VALUE, doca_eth_rxq_destroy SUCCESS INVALID_VALUE
// covers: doca_eth_rxq_destroy IN_USE, doca_eth_rxq_as_doca_ctx
TEST_F(EthRxqTest, IsCreatedWithSizesInRangeAndDestroyedWhileIdle) {
  doca_eth_rxq* queue = untouched<doca_eth_rxq>();
  EXPECT_EQ(doca_eth_rxq_create(nullptr, 64, 64, &queue), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_create(dev, 64, 64, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_create(dev, 1, 64, &queue), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_create(dev, 65537, 64, &queue), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_create(dev, 64, 13, &queue), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(queue, untouched<doca_eth_rxq>());
  EXPECT_EQ(doca_eth_rxq_as_doca_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_eth_rxq_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);

  start_queue();
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_ERROR_IN_USE);
  EXPECT_EQ(state(), DOCA_CTX_STATE_RUNNING) << "nothing changed";
  EXPECT_EQ(nic->queues.size(), 1u);
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_ERROR_INVALID_VALUE);
}

// covers: doca_eth_rxq_set_type SUCCESS INVALID_VALUE BAD_STATE
// covers: doca_eth_rxq_set_pkt_buf SUCCESS INVALID_VALUE BAD_STATE NOT_PERMITTED
TEST_F(EthRxqTest, IsConfiguredWhileIdle) {
  make_queue();
  EXPECT_EQ(doca_eth_rxq_set_type(nullptr, DOCA_ETH_RXQ_TYPE_CYCLIC), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(nullptr, mmap, 0, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, nullptr, 0, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, kPacketMemory + 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, ~uint64_t{0}, 64), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 8, 64), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, 64), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, 64), DOCA_ERROR_NOT_PERMITTED);
  ASSERT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS) << "the packet memory set first still counts";
  EXPECT_EQ(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_REGULAR), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, mmap, 0, 64), DOCA_ERROR_BAD_STATE);
}

// covers: doca_eth_rxq_estimate_packet_buf_size SUCCESS INVALID_VALUE NOT_SUPPORTED TOO_BIG
TEST_F(EthRxqTest, EstimatesSlotsTimesStride) {
  const auto estimate = [](doca_eth_rxq_type type, uint32_t packet, uint32_t burst,
                           uint32_t* size) {
    return doca_eth_rxq_estimate_packet_buf_size(type, 0, 0, packet, burst, 0, 0, 0, size);
  };
  const auto cyclic = DOCA_ETH_RXQ_TYPE_CYCLIC;
  uint32_t size = 42;
  EXPECT_EQ(estimate(cyclic, 2048, 16384, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(estimate(cyclic, 13, 16384, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(estimate(cyclic, ~0u, 2, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(estimate(cyclic, 2048, 1, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(estimate(cyclic, 2048, 65537, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(estimate(DOCA_ETH_RXQ_TYPE_REGULAR, 2048, 16384, &size), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(estimate(DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL, 2048, 16384, &size),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(estimate(cyclic, 65536, 65536, &size), DOCA_ERROR_TOO_BIG) << "exactly 4 GiB";
  EXPECT_EQ(size, 42u);
  EXPECT_EQ(estimate(cyclic, 65472, 65536, &size), DOCA_SUCCESS);
  EXPECT_EQ(size, 65472u * 65536u);
  EXPECT_EQ(estimate(cyclic, 2048, 16384, &size), DOCA_SUCCESS);
  EXPECT_EQ(size, 33554432u);
  EXPECT_EQ(estimate(cyclic, kPacketBytes, kBurst, &size), DOCA_SUCCESS);
  EXPECT_EQ(size, kPacketMemory);
}

// covers: doca_eth_rxq_apply_queue_id SUCCESS INVALID_VALUE BAD_STATE
// covers: doca_eth_rxq_get_gpu_handle SUCCESS INVALID_VALUE BAD_STATE
TEST_F(EthRxqTest, HandleAndIdAreThereWhileItRuns) {
  make_queue();
  doca_gpu_eth_rxq* of_kernels = untouched<doca_gpu_eth_rxq>();
  EXPECT_EQ(doca_eth_rxq_get_gpu_handle(rxq, &of_kernels), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_eth_rxq_apply_queue_id(rxq, 1), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_get_gpu_handle(nullptr, &of_kernels), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_get_gpu_handle(rxq, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_apply_queue_id(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(of_kernels, untouched<doca_gpu_eth_rxq>());
  EXPECT_EQ(doca_eth_rxq_apply_queue_id(rxq, 1), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_get_gpu_handle(rxq, &of_kernels), DOCA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<ReceiveHandle*>(of_kernels), nic->queues.begin()->second.handle);
}

// covers: doca_eth_rxq_gpu_enable_mcst_qp SUCCESS INVALID_VALUE BAD_STATE
// covers: warpnic_eth_rxq_gpu_set_hold_back SUCCESS INVALID_VALUE BAD_STATE
TEST_F(EthRxqTest, GpuDataPathIsConfiguredWhileIdle) {
  make_queue();
  EXPECT_EQ(doca_eth_rxq_gpu_enable_mcst_qp(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_gpu_enable_mcst_qp(rxq), DOCA_SUCCESS);
  EXPECT_EQ(warpnic_eth_rxq_gpu_set_hold_back(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(warpnic_eth_rxq_gpu_set_hold_back(rxq, 8), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(warpnic_eth_rxq_gpu_set_hold_back(rxq, 3), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(handle().hold_back, 3u);
  EXPECT_EQ(doca_eth_rxq_gpu_enable_mcst_qp(rxq), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(warpnic_eth_rxq_gpu_set_hold_back(rxq, 3), DOCA_ERROR_BAD_STATE);
}

}  // namespace
}  // namespace warpnic::test
