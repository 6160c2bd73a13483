/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts: what all queues have in common. A context is idle, starting, running, stopping, idle
 * again. A call in the wrong state returns DOCA_ERROR_BAD_STATE and changes nothing.
 *
 * One thread at a time may call on one context.
 */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum doca_ctx_states {
	DOCA_CTX_STATE_IDLE = 0,     /**< being configured, or stopped */
	DOCA_CTX_STATE_STARTING = 1, /**< start is under way */
	DOCA_CTX_STATE_RUNNING = 2,  /**< works */
	DOCA_CTX_STATE_STOPPING = 3, /**< stop was asked for, something is still out */
};

/**
 * Told of each change of state, by the thread that calls start or stop (or progresses). May destroy
 * the object once next_state is DOCA_CTX_STATE_IDLE.
 */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
						  struct doca_ctx *ctx,
						  enum doca_ctx_states prev_state,
						  enum doca_ctx_states next_state);

/**
 * Freezes the configuration and brings the object up.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS: running
 * @return DOCA_ERROR_INVALID_VALUE: ctx is NULL, or the configuration does not fit together (the
 *         log says what)
 * @return DOCA_ERROR_BAD_STATE: not idle, something needed was not set, or the packet memory's map
 *         is not started
 * @return DOCA_ERROR_NOT_FOUND: the packet memory's map lacks the queue's device
 * @return DOCA_ERROR_NOT_PERMITTED: the packet memory's map lets devices only read
 * @return DOCA_ERROR_NOT_SUPPORTED: the configuration asks for what this build or device lacks
 * @return DOCA_ERROR_NO_MEMORY: on the GPU or the host
 * @return DOCA_ERROR_FULL: the device runs as many queues as it can
 * @return DOCA_ERROR_TIME_OUT: the device did not answer and may still write to the packet memory:
 *         map and GPU stay in use
 *
 * After a failure the context is idle again.
 */
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/**
 * Stops the object. For a queue on a GPU: kernels' calls return DOCA_ERROR_BAD_STATE from now on,
 * those that wait too; the stop waits until no kernel is inside a call on the queue, 5 s at most
 * (environment variable WARPNIC_STOP_TIMEOUT_MS). Frames that nobody received are dropped and
 * counted.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS: idle
 * @return DOCA_ERROR_INVALID_VALUE: ctx is NULL
 * @return DOCA_ERROR_BAD_STATE: not running
 * @return DOCA_ERROR_IN_USE: a kernel is still inside a call; the queue is running as before,
 *         though kernels that called meanwhile got DOCA_ERROR_BAD_STATE
 * @return DOCA_ERROR_TIME_OUT: the device did not answer; the queue is running as before
 */
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/**
 * @thread any
 * @return DOCA_SUCCESS, *out_state set
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *out_state);

/**
 * The cookie that callbacks get.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: ctx is NULL
 */
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);

/**
 * @thread one at a time
 * @return DOCA_SUCCESS, *out_user_data set
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *out_user_data);

/**
 * Who is told of changes of state; NULL: nobody. While idle.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: ctx is NULL
 * @return DOCA_ERROR_BAD_STATE: not idle
 */
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
					   doca_ctx_state_changed_callback_t callback);

/**
 * Puts the data path on a GPU. While idle.
 *
 * @param gpu  kept alive by the context
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_BAD_STATE: not idle
 */
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_CTX_H_ */
