/* SPDX-License-Identifier: Apache-2.0 */
/* Existing programs rely on doca_dev.h for <string.h>. Compiling is the test. */
#include "doca_dev.h"

int through_dev(const char *a, const char *b);

int through_dev(const char *a, const char *b)
{
	return strcmp(a, b);
}
