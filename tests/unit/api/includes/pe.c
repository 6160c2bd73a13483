/* SPDX-License-Identifier: Apache-2.0 */
/* Existing programs rely on doca_pe.h for doca_ctx.h. Compiling is the test. */
#include "doca_pe.h"

doca_error_t through_pe(struct doca_ctx *ctx);

doca_error_t through_pe(struct doca_ctx *ctx)
{
	return doca_ctx_start(ctx);
}
