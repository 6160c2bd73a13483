// SPDX-License-Identifier: Apache-2.0
// doca_ctx.h and doca_pe.h
#include "doca_ctx.h"

#include "api/objects.h"
#include "doca_pe.h"

using namespace warpnic;

extern "C" {

doca_error_t doca_ctx_start(doca_ctx* ctx) {
  return api::guard("doca_ctx_start", [&] { return api::need(ctx).start(); });
}

doca_error_t doca_ctx_stop(doca_ctx* ctx) {
  return api::guard("doca_ctx_stop", [&] { return api::need(ctx).stop(); });
}

doca_error_t doca_ctx_get_state(const doca_ctx* ctx, enum doca_ctx_states* out_state) {
  return api::guard("doca_ctx_get_state", [&]() -> Status {
    const doca_ctx& context = api::need(ctx);
    api::need_not_null(out_state) = context.state();
    return {};
  });
}

doca_error_t doca_ctx_set_user_data(doca_ctx* ctx, union doca_data user_data) {
  return api::guard("doca_ctx_set_user_data", [&]() -> Status {
    api::need(ctx).user_data = user_data;
    return {};
  });
}

doca_error_t doca_ctx_get_user_data(const doca_ctx* ctx, union doca_data* out_user_data) {
  return api::guard("doca_ctx_get_user_data", [&]() -> Status {
    const doca_ctx& context = api::need(ctx);
    api::need_not_null(out_user_data) = context.user_data;
    return {};
  });
}

doca_error_t doca_ctx_set_state_changed_cb(doca_ctx* ctx,
                                           doca_ctx_state_changed_callback_t callback) {
  return api::guard("doca_ctx_set_state_changed_cb",
                    [&] { return api::need(ctx).set_state_changed(callback); });
}

doca_error_t doca_ctx_set_datapath_on_gpu(doca_ctx* ctx, doca_gpu* gpu) {
  return api::guard("doca_ctx_set_datapath_on_gpu",
                    [&] { return api::need(ctx).set_gpu(api::need(gpu).context); });
}

doca_error_t doca_pe_create(doca_pe** out_pe) {
  return api::guard("doca_pe_create", [&]() -> Status {
    api::need_not_null(out_pe);
    *out_pe = api::Objects<doca_pe>::add(
        std::make_unique<doca_pe>(doca_pe{std::make_shared<ProgressEngine>()}));
    return {};
  });
}

doca_error_t doca_pe_destroy(doca_pe* pe) {
  return api::guard("doca_pe_destroy", [&]() -> Status {
    if (Status status = api::need(pe).engine->close(); !status.ok()) return status;
    api::Objects<doca_pe>::remove(pe);
    return {};
  });
}

uint8_t doca_pe_progress(doca_pe* pe) {
  uint8_t done = 0;
  (void)api::run([&]() -> Status {
    done = api::need(pe).engine->progress() ? 1 : 0;
    return {};
  });
  return done;
}

doca_error_t doca_pe_connect_ctx(doca_pe* pe, doca_ctx* ctx) {
  return api::guard("doca_pe_connect_ctx", [&] {
    const auto engine = api::need(pe).engine;
    return api::need(ctx).connect(engine);
  });
}

}  // extern "C"
