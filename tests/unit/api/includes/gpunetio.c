/* SPDX-License-Identifier: Apache-2.0 */
/* Existing programs rely on doca_gpunetio.h for doca_ctx.h, <pthread.h>, <string.h> and
 * DOCA_GPUNETIO_VOLATILE. Compiling is the test. */
#include "doca_gpunetio.h"

doca_error_t through_gpunetio(struct doca_ctx *ctx, struct doca_gpu *gpu, const char *text,
			      int *flag);

doca_error_t through_gpunetio(struct doca_ctx *ctx, struct doca_gpu *gpu, const char *text,
			      int *flag)
{
	DOCA_GPUNETIO_VOLATILE(*flag) = pthread_equal(pthread_self(), pthread_self());
	if (strnlen(text, DOCA_GPUNETIO_ETH_WARP_SIZE) == 0)
		return DOCA_ERROR_INVALID_VALUE;
	return doca_ctx_set_datapath_on_gpu(ctx, gpu);
}
