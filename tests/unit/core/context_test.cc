// SPDX-License-Identifier: Apache-2.0
#include "core/context.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "fakes.h"

namespace warpnic {
namespace {

/// A context whose steps do what the test says.
struct Probe final : doca_ctx {
  Status do_start() override {
    states_inside.push_back(state());
    return start_step.act();
  }
  Status do_stop() override {
    states_inside.push_back(state());
    return stop_step.act();
  }
  test::Refusal start_step, stop_step;
  std::vector<doca_ctx_states> states_inside;
};

using Change = std::pair<doca_ctx_states, doca_ctx_states>;

void remember_change(const union doca_data user_data, doca_ctx*, doca_ctx_states previous,
                     doca_ctx_states next) {
  static_cast<std::vector<Change>*>(user_data.ptr)->push_back({previous, next});
}

struct ContextTest : testing::Test {
  ContextTest() {
    probe.user_data.ptr = &changes;
    EXPECT_TRUE(probe.set_state_changed(remember_change).ok());
  }
  std::vector<Change> changes;
  Probe probe;
};

TEST_F(ContextTest, WalksThroughAllStatesAndTellsEachChange) {
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_IDLE);
  EXPECT_TRUE(probe.start().ok());
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_TRUE(probe.stop().ok());
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_IDLE);
  EXPECT_EQ(changes, (std::vector<Change>{{DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_STARTING},
                                          {DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING},
                                          {DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING},
                                          {DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_IDLE}}));
  EXPECT_EQ(probe.states_inside, (std::vector<doca_ctx_states>{DOCA_CTX_STATE_STARTING,
                                                               DOCA_CTX_STATE_STOPPING}));
}

TEST_F(ContextTest, RefusesCallsInTheWrongStateAndNamesIt) {
  EXPECT_EQ(probe.stop().code(), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(probe.start().ok());
  const Status again = probe.start();
  EXPECT_EQ(again.code(), DOCA_ERROR_BAD_STATE);
  EXPECT_NE(again.cause().find("running"), std::string::npos) << again.cause();
  EXPECT_EQ(probe.set_gpu(nullptr).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(probe.set_state_changed(nullptr).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(probe.connect(std::make_shared<ProgressEngine>()).code(), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(changes.size(), 2u);
  ASSERT_TRUE(probe.stop().ok());
  EXPECT_EQ(changes.size(), 4u) << "the callback is still the first one";
}

TEST_F(ContextTest, IsIdleAgainAfterAFailedStart) {
  probe.start_step.status = Status(DOCA_ERROR_FULL, "no");
  EXPECT_EQ(probe.start().code(), DOCA_ERROR_FULL);
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_IDLE);
  probe.start_step = {};
  EXPECT_TRUE(probe.start().ok());
}

TEST_F(ContextTest, RunsAsBeforeAfterAFailedStop) {
  ASSERT_TRUE(probe.start().ok());
  probe.stop_step.status = Status(DOCA_ERROR_IN_USE, "no");
  EXPECT_EQ(probe.stop().code(), DOCA_ERROR_IN_USE);
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(changes.back(), Change(DOCA_CTX_STATE_STOPPING, DOCA_CTX_STATE_RUNNING));
  probe.stop_step = {};
  EXPECT_TRUE(probe.stop().ok());
}

TEST_F(ContextTest, AnExceptionIsAFailure) {
  probe.start_step.throws = true;
  EXPECT_THROW((void)probe.start(), std::bad_alloc);
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_IDLE);
  probe.start_step.throws = false;
  ASSERT_TRUE(probe.start().ok());
  probe.stop_step.throws = true;
  EXPECT_THROW((void)probe.stop(), std::bad_alloc);
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_RUNNING);
}

TEST_F(ContextTest, AThrowingCallbackDoesNotStopTheWalk) {
  ASSERT_TRUE(probe.set_state_changed([](const union doca_data, doca_ctx*, doca_ctx_states,
                                         doca_ctx_states) { throw std::runtime_error("no"); })
                  .ok());
  EXPECT_TRUE(probe.start().ok());
  EXPECT_EQ(probe.state(), DOCA_CTX_STATE_RUNNING);
  EXPECT_TRUE(probe.stop().ok());
}

TEST_F(ContextTest, CallsInsideACallbackSeeTheStateOnTheWay) {
  static std::vector<doca_error_t> answers;
  answers.clear();
  ASSERT_TRUE(probe.set_state_changed([](const union doca_data, doca_ctx* ctx, doca_ctx_states,
                                         doca_ctx_states next) {
                     if (next == DOCA_CTX_STATE_STARTING) answers.push_back(ctx->start().code());
                     if (next == DOCA_CTX_STATE_STOPPING) answers.push_back(ctx->stop().code());
                   })
                  .ok());
  ASSERT_TRUE(probe.start().ok());
  ASSERT_TRUE(probe.stop().ok());
  EXPECT_EQ(answers, (std::vector<doca_error_t>{DOCA_ERROR_BAD_STATE, DOCA_ERROR_BAD_STATE}));
}

TEST(ContextLife, MayBeDestroyedByTheCallbackThatTellsItIsIdle) {
  auto* const probe = new Probe;
  ASSERT_TRUE(probe->set_state_changed([](const union doca_data, doca_ctx* ctx, doca_ctx_states,
                                          doca_ctx_states next) {
                     if (next == DOCA_CTX_STATE_IDLE) delete ctx;
                   })
                  .ok());
  ASSERT_TRUE(probe->start().ok());
  EXPECT_TRUE(probe->stop().ok());
}

TEST(Engine, RefusesToCloseWhileAContextRunsAndDisconnectsIdleOnes) {
  const auto engine = std::make_shared<ProgressEngine>();
  Probe idle, running;
  ASSERT_TRUE(idle.connect(engine).ok());
  ASSERT_TRUE(running.connect(engine).ok());
  EXPECT_EQ(idle.connect(engine).code(), DOCA_ERROR_ALREADY_EXIST);
  ASSERT_TRUE(running.start().ok());
  EXPECT_EQ(engine->close().code(), DOCA_ERROR_IN_USE);
  EXPECT_EQ(idle.connect(engine).code(), DOCA_ERROR_ALREADY_EXIST) << "still connected";
  ASSERT_TRUE(running.stop().ok());
  EXPECT_TRUE(engine->close().ok());
  EXPECT_TRUE(idle.connect(std::make_shared<ProgressEngine>()).ok()) << "free again";
}

TEST(Engine, ForgetsContextsThatAreGone) {
  const auto engine = std::make_shared<ProgressEngine>();
  {
    Probe probe;
    ASSERT_TRUE(probe.connect(engine).ok());
    ASSERT_TRUE(probe.start().ok());
    ASSERT_TRUE(probe.stop().ok());
  }
  EXPECT_TRUE(engine->close().ok());
}

}  // namespace
}  // namespace warpnic
