/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Log messages of programs, and where the library's own go.
 *
 * A program's messages appear once it has installed a backend. The library's own appear on stderr
 * from level WARNING on, until the program installs an SDK backend, which then takes their place.
 * The environment variable DOCA_LOG_LEVEL (a name such as "debug", or a number) sets the level that
 * both begin with. Each message is one line; the library's are limited to 50 lines a second.
 *
 * All functions may be called by any thread.
 */
#ifndef DOCA_LOG_H_
#define DOCA_LOG_H_

#include <stdint.h>
#include <stdio.h>

#include "doca_error.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Larger means more messages. */
enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10,
	DOCA_LOG_LEVEL_CRIT = 20,
	DOCA_LOG_LEVEL_ERROR = 30,
	DOCA_LOG_LEVEL_WARNING = 40,
	DOCA_LOG_LEVEL_INFO = 50,
	DOCA_LOG_LEVEL_DEBUG = 60,
	DOCA_LOG_LEVEL_TRACE = 70,
};

/** A place where messages go. Lives until the process ends. */
struct doca_log_backend;

/**
 * Shows the program's messages: up to WARNING on stderr, the others on stdout.
 *
 * @thread any
 * @return DOCA_SUCCESS, also when called again
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_log_backend_create_standard(void);

/**
 * Shows the program's messages on an open file.
 *
 * @param file         borrowed until the process ends
 * @param out_backend  the backend, for set_level
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_log_backend_create_with_file(FILE *file, struct doca_log_backend **out_backend);

/** The same for the library's own messages. */
doca_error_t doca_log_backend_create_with_file_sdk(FILE *file,
						   struct doca_log_backend **out_backend);

/**
 * Threshold of a backend made by doca_log_backend_create_with_file.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: backend is NULL or of the library's kind, or no such level
 */
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
						    uint32_t level);

/**
 * Threshold of a backend made by doca_log_backend_create_with_file_sdk.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: backend is NULL or not of the library's kind, or no such level
 */
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/**
 * Threshold of all of the program's messages.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: no such level
 */
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/** The same for the library's own messages, on every backend: what --sdk-log-level sets. */
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * A level by its name ("error", "DEBUG") or number ("30").
 *
 * @thread any
 * @return DOCA_SUCCESS, *out_level set
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the text names no level
 */
doca_error_t warpnic_log_level_from_text(const char *text, uint32_t *out_level);

/**
 * For DOCA_LOG_REGISTER: gives a source its number. Copies the name.
 *
 * @thread any
 * @return DOCA_SUCCESS, *out_source set
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_log_register_source(const char *name, int *out_source);

/**
 * For the DOCA_LOG_ macros: one message of a source.
 *
 * @thread any
 */
void doca_log(uint32_t level, int source, int line, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Names the log source of a file: DOCA_LOG_REGISTER(MY::PART); at file scope, before its use. */
#define DOCA_LOG_REGISTER(SOURCE) \
	static int warpnic_log_source = -1; \
	static void __attribute__((constructor)) warpnic_log_register(void) \
	{ \
		(void)doca_log_register_source(#SOURCE, &warpnic_log_source); \
	} \
	struct warpnic_log_semicolon

#define DOCA_LOG(level, ...) doca_log((level), warpnic_log_source, __LINE__, __VA_ARGS__)
#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
#define DOCA_LOG_ERR(...) DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_LOG_DBG(...) DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif /* DOCA_LOG_H_ */
