/* SPDX-License-Identifier: Apache-2.0 */
/* DOCA_GPUNETIO_VOLATILE in C: read and assigned, plain objects, members, pointers' targets. */
#include "volatile_in_c.h"

#include "doca_gpunetio_eth_def.h"

void set_flags(struct flags *flags, uint32_t value)
{
	DOCA_GPUNETIO_VOLATILE(flags->words[1]) = value;
	DOCA_GPUNETIO_VOLATILE(flags->set) = value != 0;
}

uint32_t read_word(const uint32_t *word)
{
	return DOCA_GPUNETIO_VOLATILE(*word);
}
