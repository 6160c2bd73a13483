// SPDX-License-Identifier: Apache-2.0
#include "core/context.h"

#include <algorithm>

#include "core/log.h"

namespace warpnic {

void ProgressEngine::remove(const doca_ctx* context) {
  contexts_.erase(std::remove(contexts_.begin(), contexts_.end(), context), contexts_.end());
}

Status ProgressEngine::close() {
  for (const doca_ctx* context : contexts_) {
    if (context->state() != DOCA_CTX_STATE_IDLE) {
      return Status(DOCA_ERROR_IN_USE,
                    "a context that is connected to the progress engine is not idle; doca_ctx_stop "
                    "it first");
    }
  }
  for (doca_ctx* context : contexts_) context->disconnect();
  contexts_.clear();
  return {};
}

}  // namespace warpnic

using warpnic::Status;

namespace {
const char* state_name(enum doca_ctx_states state) {
  switch (state) {
    case DOCA_CTX_STATE_IDLE: return "idle";
    case DOCA_CTX_STATE_STARTING: return "starting";
    case DOCA_CTX_STATE_RUNNING: return "running";
    case DOCA_CTX_STATE_STOPPING: return "stopping";
  }
  return "?";
}
}  // namespace

doca_ctx::~doca_ctx() {
  if (engine_) engine_->remove(this);
}

Status doca_ctx::require(enum doca_ctx_states wanted) const {
  const enum doca_ctx_states now = state_;
  if (now == wanted) return {};
  return Status(DOCA_ERROR_BAD_STATE, std::string("the context is ") + state_name(now) +
                                          "; this call needs it " + state_name(wanted));
}

void doca_ctx::change_state(enum doca_ctx_states next) {
  const enum doca_ctx_states previous = state_;
  state_ = next;
  if (!callback_) return;
  try {
    callback_(user_data, this, previous, next);
  } catch (...) {  // a C++ program's; the context walks on
    warpnic::log_error("a callback of doca_ctx_set_state_changed_cb threw an exception");
  }
}

/// Takes a step; then the state is `after`, or, if it failed in any way, `before`. The callback may
/// destroy the object.
template <class Step>
Status doca_ctx::finish(enum doca_ctx_states before, enum doca_ctx_states after, Step&& step) {
  Status status;
  try {
    status = step();
  } catch (...) {
    change_state(before);
    throw;
  }
  change_state(status.ok() ? after : before);
  return status;
}

Status doca_ctx::start() {
  if (Status status = require(DOCA_CTX_STATE_IDLE); !status.ok()) return status;
  change_state(DOCA_CTX_STATE_STARTING);
  return finish(DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_RUNNING, [this] { return do_start(); });
}

Status doca_ctx::stop() {
  if (Status status = require(DOCA_CTX_STATE_RUNNING); !status.ok()) return status;
  change_state(DOCA_CTX_STATE_STOPPING);
  return finish(DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_IDLE, [this] { return do_stop(); });
}

Status doca_ctx::set_gpu(std::shared_ptr<warpnic::GpuContext> gpu) {
  if (Status status = require(DOCA_CTX_STATE_IDLE); !status.ok()) return status;
  gpu_ = std::move(gpu);
  return {};
}

Status doca_ctx::set_state_changed(doca_ctx_state_changed_callback_t callback) {
  if (Status status = require(DOCA_CTX_STATE_IDLE); !status.ok()) return status;
  callback_ = callback;
  return {};
}

Status doca_ctx::connect(std::shared_ptr<warpnic::ProgressEngine> engine) {
  if (Status status = require(DOCA_CTX_STATE_IDLE); !status.ok()) return status;
  if (engine_) {
    return Status(DOCA_ERROR_ALREADY_EXIST,
                  "the context is connected to a progress engine already");
  }
  engine->add(this);
  engine_ = std::move(engine);
  return {};
}
