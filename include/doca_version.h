/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of headers and library. */
#ifndef DOCA_VERSION_H_
#define DOCA_VERSION_H_

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the interface these headers follow. */
#define DOCA_VER_MAJOR 3
#define DOCA_VER_MINOR 3
#define DOCA_VER_PATCH 0
#define DOCA_VER_STRING "3.3.0"

/**
 * The interface's version that the program was compiled for, such as "3.3.0".
 *
 * @thread any
 * @return a text that lives as long as the process, never NULL
 */
static inline const char *doca_version(void)
{
	return DOCA_VER_STRING;
}

/**
 * The library that runs: "3.3.0 (warpnic 0.1.0)".
 *
 * @thread any
 * @return a text that lives as long as the process, never NULL
 */
const char *doca_version_runtime(void);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_VERSION_H_ */
