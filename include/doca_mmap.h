/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory maps: a range of memory made usable for devices.
 *
 * A map is configured (devices, range, permissions), started, stopped. One thread at a time may
 * configure, start, stop or destroy a map; its key may be asked for by any thread.
 */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <stdlib.h>

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * An empty map, not started. Permissions begin as local read and write.
 *
 * @param out_mmap  gives the map, to be destroyed
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: out_mmap is NULL
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_mmap_create(struct doca_mmap **out_mmap);

/**
 * Destroys a map, also one that is still started, or whose memory was freed before.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: mmap is NULL or destroyed already
 * @return DOCA_ERROR_IN_USE: a running queue uses it; stop the queue first. Nothing changed
 * @return DOCA_ERROR_TIME_OUT: as doca_mmap_stop; the map is stopped, destroy it again
 */
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Lets a device use the range. Before start.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_ALREADY_EXIST: the device is in already
 * @return DOCA_ERROR_FULL: as many devices as set_max_num_devices allows are in
 * @return DOCA_ERROR_BAD_STATE: the map is started
 */
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Takes a device out. After stop, or before start.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_NOT_FOUND: the device is not in
 * @return DOCA_ERROR_BAD_STATE: the map is started
 */
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * How many devices may be added; 32 at first. Before the first add_dev.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: mmap is NULL, or the number is 0 or less than devices are in
 * @return DOCA_ERROR_BAD_STATE: the map is started
 */
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t number);

/**
 * Sets the range: CPU memory or GPU memory. Borrowed; memory of doca_gpu_mem_alloc is kept alive
 * while the map is started, also when it is freed meanwhile.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or len is 0 or wraps around
 * @return DOCA_ERROR_BAD_STATE: the map is started
 */
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Sets the range by a dmabuf.
 *
 * @thread one at a time
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, a negative fd, or len is 0
 * @return DOCA_ERROR_NOT_SUPPORTED: no device here can use one; call doca_mmap_set_memrange
 * @return DOCA_ERROR_BAD_STATE: the map is started
 */
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
					   size_t dmabuf_offset, size_t len);

/**
 * Sets who may do what: OR of enum doca_access_flag. Packet memory of receive queues needs
 * DOCA_ACCESS_FLAG_LOCAL_READ_WRITE.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: mmap is NULL, or an unknown flag
 * @return DOCA_ERROR_BAD_STATE: the map is started
 */
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_flags);

/**
 * Registers the range with all devices; all or none.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: mmap is NULL, or the range is longer than the allocation of
 *         doca_gpu_mem_alloc that it begins in
 * @return DOCA_ERROR_BAD_STATE: started already, no range set, or no device added
 * @return DOCA_ERROR_NO_MEMORY: a device has no room for another region
 */
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * Takes the range back from all devices.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: mmap is NULL
 * @return DOCA_ERROR_BAD_STATE: not started
 * @return DOCA_ERROR_IN_USE: a running queue uses it; stop the queue first. Nothing changed
 * @return DOCA_ERROR_TIME_OUT: the map is stopped, but a device did not answer and may still write
 *         to the range: do not free it. Memory of doca_gpu_mem_alloc is then never freed
 */
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * The range's key for a device, in CPU byte order; send calls in kernels take it big-endian.
 *
 * @thread any, while nobody starts or stops the map
 * @return DOCA_SUCCESS, *out_mkey set
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_BAD_STATE: the map is not started
 * @return DOCA_ERROR_NOT_FOUND: the device is not in
 */
doca_error_t doca_mmap_get_mkey(struct doca_mmap *mmap, struct doca_dev *dev, uint32_t *out_mkey);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H_ */
