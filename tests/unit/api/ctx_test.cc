// SPDX-License-Identifier: Apache-2.0
// doca_ctx.h and doca_pe.h. How contexts walk is tested in unit/core.
#include <vector>

#include "kit.h"

namespace warpnic::test {
namespace {

struct CtxTest : ApiTest {
  CtxTest() { make_queue(); }
};

// covers: doca_ctx_start SUCCESS INVALID_VALUE BAD_STATE NOT_SUPPORTED NO_MEMORY FULL TIME_OUT
// covers: doca_ctx_start NOT_FOUND NOT_PERMITTED
TEST_F(CtxTest, StartFailsWithTheCauseAndIsIdleAgain) {
  EXPECT_EQ(doca_ctx_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_REGULAR), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC), DOCA_SUCCESS);

  ASSERT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_NOT_PERMITTED);
  ASSERT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_rm_dev(mmap, dev), DOCA_SUCCESS);
  const auto other_nic = std::make_shared<FakeNic>("0000:fe:01.0");
  doca_dev* const other = api::Objects<doca_dev>::add(std::make_unique<doca_dev>(other_nic));
  ASSERT_EQ(doca_mmap_add_dev(mmap, other), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_NOT_FOUND);
  ASSERT_EQ(doca_mmap_stop(mmap), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_add_dev(mmap, dev), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(mmap), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(other), DOCA_SUCCESS);

  fake_gpu->allocations_until_failure = 0;
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_NO_MEMORY);
  fake_gpu->allocations_until_failure = FakeGpu::kNever;
  nic->on_start = {{}, true};
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_NO_MEMORY) << "an exception is a code, too";
  nic->on_start = {Status(DOCA_ERROR_FULL, "no room"), false};
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_FULL);
  EXPECT_EQ(state(), DOCA_CTX_STATE_IDLE);
  nic->on_start = {};
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(state(), DOCA_CTX_STATE_RUNNING);
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);

  nic->on_start = {Status(DOCA_ERROR_TIME_OUT, "no answer"), false};
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_ERROR_TIME_OUT);
  EXPECT_EQ(state(), DOCA_CTX_STATE_IDLE);
  EXPECT_EQ(doca_mmap_stop(mmap), DOCA_ERROR_IN_USE) << "the device may still write there";
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_ERROR_IN_USE);
}

// covers: doca_ctx_stop SUCCESS INVALID_VALUE BAD_STATE IN_USE TIME_OUT
TEST_F(CtxTest, StopFailsWithTheCauseAndTheQueueRunsOn) {
  setenv("WARPNIC_STOP_TIMEOUT_MS", "10", 1);
  EXPECT_EQ(doca_ctx_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_stop(ctx()), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  handle().inside = 1;
  EXPECT_EQ(doca_ctx_stop(ctx()), DOCA_ERROR_IN_USE);
  handle().inside = 0;
  nic->on_stop.status = Status(DOCA_ERROR_TIME_OUT, "no answer");
  EXPECT_EQ(doca_ctx_stop(ctx()), DOCA_ERROR_TIME_OUT);
  EXPECT_EQ(state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(handle().closed, 0u);
  nic->on_stop = {};
  EXPECT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(state(), DOCA_CTX_STATE_IDLE);
}

// covers: doca_ctx_get_state SUCCESS INVALID_VALUE, doca_ctx_set_user_data SUCCESS INVALID_VALUE
// covers: doca_ctx_get_user_data SUCCESS INVALID_VALUE
TEST_F(CtxTest, KeepsACookie) {
  union doca_data data;
  data.u64 = 0x1122334455667788;
  EXPECT_EQ(doca_ctx_set_user_data(ctx(), data), DOCA_SUCCESS);
  data.u64 = 0;
  EXPECT_EQ(doca_ctx_get_user_data(nullptr, &data), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_user_data(ctx(), nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_user_data(nullptr, data), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(data.u64, 0u);
  EXPECT_EQ(doca_ctx_get_user_data(ctx(), &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 0x1122334455667788u);
  doca_ctx_states now = DOCA_CTX_STATE_STOPPING;
  EXPECT_EQ(doca_ctx_get_state(nullptr, &now), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_get_state(ctx(), nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(now, DOCA_CTX_STATE_STOPPING);
}

// covers: doca_ctx_set_state_changed_cb SUCCESS INVALID_VALUE BAD_STATE
TEST_F(CtxTest, TellsOfChangesWithTheCookie) {
  struct Seen {
    doca_ctx* context;
    std::vector<int> states;
  } seen{nullptr, {}};
  union doca_data data;
  data.ptr = &seen;
  ASSERT_EQ(doca_ctx_set_user_data(ctx(), data), DOCA_SUCCESS);
  const auto callback = [](const union doca_data user_data, doca_ctx* context, doca_ctx_states,
                           doca_ctx_states next) {
    auto& told = *static_cast<Seen*>(user_data.ptr);
    told.context = context;
    told.states.push_back(next);
  };
  EXPECT_EQ(doca_ctx_set_state_changed_cb(nullptr, callback), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_ctx_set_state_changed_cb(ctx(), callback), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_set_state_changed_cb(ctx(), nullptr), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(seen.context, ctx());
  EXPECT_EQ(seen.states, (std::vector<int>{1, 2, 3, 0}));
  ASSERT_EQ(doca_ctx_set_state_changed_cb(ctx(), nullptr), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(seen.states.size(), 4u);
}

TEST_F(CtxTest, ACallbackMayDestroyTheQueue) {
  static doca_eth_rxq* queue;
  static doca_error_t answer;
  queue = rxq;
  answer = DOCA_ERROR_UNKNOWN;
  ASSERT_EQ(doca_ctx_set_state_changed_cb(
                ctx(),
                [](const union doca_data, doca_ctx*, doca_ctx_states, doca_ctx_states next) {
                  if (next == DOCA_CTX_STATE_IDLE) answer = doca_eth_rxq_destroy(queue);
                }),
            DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(answer, DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_destroy(queue), DOCA_ERROR_INVALID_VALUE);
}

// covers: doca_ctx_set_datapath_on_gpu SUCCESS INVALID_VALUE BAD_STATE
TEST_F(CtxTest, DataPathIsChosenWhileIdle) {
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(ctx(), nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(nullptr, gpu), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(ctx(), gpu), DOCA_ERROR_BAD_STATE);
}

TEST_F(CtxTest, AContextThatIsGoneIsRefused) {
  doca_ctx* const stale = ctx();
  ASSERT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(stale), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_stop(stale), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_set_datapath_on_gpu(stale, gpu), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_eth_rxq_as_doca_ctx(rxq), nullptr);
}

// covers: doca_pe_create SUCCESS INVALID_VALUE, doca_pe_destroy SUCCESS INVALID_VALUE IN_USE
// covers: doca_pe_connect_ctx SUCCESS INVALID_VALUE BAD_STATE ALREADY_EXIST, doca_pe_progress
TEST_F(CtxTest, ConnectsToAProgressEngineWhileIdle) {
  EXPECT_EQ(doca_pe_create(nullptr), DOCA_ERROR_INVALID_VALUE);
  doca_pe* pe = nullptr;
  ASSERT_EQ(doca_pe_create(&pe), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_connect_ctx(nullptr, ctx()), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_connect_ctx(pe, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_connect_ctx(pe, ctx()), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  ASSERT_EQ(doca_pe_connect_ctx(pe, ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_connect_ctx(pe, ctx()), DOCA_ERROR_ALREADY_EXIST);
  EXPECT_EQ(doca_pe_progress(pe), 0);
  EXPECT_EQ(doca_pe_progress(nullptr), 0);
  ASSERT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_destroy(pe), DOCA_ERROR_IN_USE);
  ASSERT_EQ(doca_ctx_stop(ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_destroy(pe), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_progress(pe), 0);
  EXPECT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS) << "the queue does without";
}

}  // namespace
}  // namespace warpnic::test
