/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct flags {
	bool set;
	uint32_t words[2];
	uint32_t answer;
};

/** Sets `set` and words[1]; an order between the two is not promised. */
void set_flags(struct flags *flags, uint32_t value);
uint32_t read_word(const uint32_t *word);

#ifdef __cplusplus
}
#endif
