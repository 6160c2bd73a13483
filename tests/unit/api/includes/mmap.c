/* SPDX-License-Identifier: Apache-2.0 */
/* Existing programs rely on doca_mmap.h for <stdlib.h>. Compiling is the test. */
#include "doca_mmap.h"

void *through_mmap(size_t size);

void *through_mmap(size_t size)
{
	return malloc(size);
}
