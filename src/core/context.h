// SPDX-License-Identifier: Apache-2.0
// What doca_ctx stands for: the states that all queues walk through. A queue derives from it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "core/gpu_context.h"
#include "core/progress.h"
#include "core/status.h"
#include "doca_ctx.h"

struct doca_ctx {
 public:
  virtual ~doca_ctx();
  doca_ctx() = default;
  doca_ctx(const doca_ctx&) = delete;
  doca_ctx& operator=(const doca_ctx&) = delete;

  warpnic::Status start();
  warpnic::Status stop();
  warpnic::Status set_gpu(std::shared_ptr<warpnic::GpuContext> gpu);
  warpnic::Status set_state_changed(doca_ctx_state_changed_callback_t callback);
  warpnic::Status connect(std::shared_ptr<warpnic::ProgressEngine> engine);
  void disconnect() { engine_.reset(); }

  enum doca_ctx_states state() const { return state_; }
  union doca_data user_data = {};

  /// Success, or BAD_STATE with the call's name and the state in its cause.
  warpnic::Status require(enum doca_ctx_states wanted) const;

 protected:
  /// Bring the object up, or down; on failure, also by an exception, everything is as it was.
  virtual warpnic::Status do_start() = 0;
  virtual warpnic::Status do_stop() = 0;
  const std::shared_ptr<warpnic::GpuContext>& gpu() const { return gpu_; }

 private:
  void change_state(enum doca_ctx_states next);
  template <class Step>
  warpnic::Status finish(enum doca_ctx_states before, enum doca_ctx_states after, Step&& step);

  std::atomic<enum doca_ctx_states> state_ = DOCA_CTX_STATE_IDLE;  ///< any thread may ask
  doca_ctx_state_changed_callback_t callback_ = nullptr;
  std::shared_ptr<warpnic::GpuContext> gpu_;
  std::shared_ptr<warpnic::ProgressEngine> engine_;
};
