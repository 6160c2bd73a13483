/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress engines: run the events of the contexts connected to them. Queues whose data path is on
 * a GPU have none of their own to run.
 *
 * One thread at a time may call on one engine and its contexts.
 */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include "doca_ctx.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @param out_pe  gives the engine, to be destroyed
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: out_pe is NULL
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_pe_create(struct doca_pe **out_pe);

/**
 * @thread one at a time
 * @return DOCA_SUCCESS; contexts that are idle are disconnected
 * @return DOCA_ERROR_INVALID_VALUE: pe is NULL
 * @return DOCA_ERROR_IN_USE: a connected context is not idle; stop it first. Nothing changed
 */
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/**
 * Runs what is due, once.
 *
 * @thread one at a time
 * @return 1 if something was done, else 0; 0 if pe is NULL
 */
uint8_t doca_pe_progress(struct doca_pe *pe);

/**
 * Connects a context. While it is idle.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_BAD_STATE: the context is not idle
 * @return DOCA_ERROR_ALREADY_EXIST: it is connected to an engine already
 */
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_PE_H_ */
