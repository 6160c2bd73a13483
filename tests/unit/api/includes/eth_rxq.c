/* SPDX-License-Identifier: Apache-2.0 */
/* Existing programs rely on doca_eth_rxq.h for doca_ctx.h. Compiling is the test. */
#include "doca_eth_rxq.h"

enum doca_ctx_states through_eth_rxq(struct doca_ctx *ctx);

enum doca_ctx_states through_eth_rxq(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	(void)doca_ctx_get_state(ctx, &state);
	return state;
}
