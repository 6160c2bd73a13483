/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GPUs: memory that kernels, CPU and NIC share. A GPU is named by its PCI bus id, as
 * cudaDeviceGetPCIBusId tells it; the CPU executor answers to "0000:ff:1f.0".
 *
 * All functions may be called by any thread.
 */
#ifndef DOCA_GPUNETIO_H_
#define DOCA_GPUNETIO_H_

#include <pthread.h>
#include <string.h>

#include "doca_ctx.h"
#include "doca_error.h"
#include "doca_gpunetio_eth_def.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where memory lies. */
enum doca_gpu_mem_type {
	DOCA_GPU_MEM_TYPE_GPU = 0,     /**< on the GPU; no address for the CPU */
	DOCA_GPU_MEM_TYPE_GPU_CPU = 1, /**< on the GPU, mapped into the CPU */
	DOCA_GPU_MEM_TYPE_CPU_GPU = 2, /**< in host memory, mapped into the GPU */
};

/**
 * Opens a GPU.
 *
 * @param gpu_bus_id  "0000:ca:00.0" or "ca:00.0"
 * @param out_gpu     gives the GPU, to be destroyed
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the id is malformed
 * @return DOCA_ERROR_NOT_FOUND: no such GPU; the log names those there are
 * @return DOCA_ERROR_NOT_SUPPORTED: this build cannot use that GPU
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_gpu_create(const char *gpu_bus_id, struct doca_gpu **out_gpu);

/**
 * Closes a GPU. Frees its memory that nobody else uses; what started memory maps use stays until
 * they are stopped. Addresses and handles that kernels hold are invalid from here on.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: gpu is NULL or closed already
 * @return DOCA_ERROR_IN_USE: a running queue is on it; stop the queue first. Nothing changed
 */
doca_error_t doca_gpu_destroy(struct doca_gpu *gpu);

/**
 * Allocates zeroed memory.
 *
 * @param alignment    a power of two
 * @param out_mem_gpu  gives the address for kernels, to be freed
 * @param out_mem_cpu  the address for the CPU; NULL is allowed for DOCA_GPU_MEM_TYPE_GPU only,
 *                     where NULL is written if it is given
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, size is 0, alignment or type is wrong
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_gpu_mem_alloc(struct doca_gpu *gpu, size_t size, size_t alignment,
				enum doca_gpu_mem_type type, void **out_mem_gpu,
				void **out_mem_cpu);

/**
 * Frees memory by its GPU address. Memory that a started memory map uses is freed when the map is
 * stopped or destroyed.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the address is none that
 *         doca_gpu_mem_alloc returned for this GPU and that is not freed yet
 */
doca_error_t doca_gpu_mem_free(struct doca_gpu *gpu, void *mem_gpu);

/**
 * A dmabuf of a range of GPU memory.
 *
 * @thread any
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or size is 0
 * @return DOCA_ERROR_NOT_SUPPORTED: there are none on the CPU executor; use
 *         doca_mmap_set_memrange with the GPU address
 */
doca_error_t doca_gpu_dmabuf_fd(struct doca_gpu *gpu, void *mem_gpu, size_t size,
				int *out_dmabuf_fd);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GPUNETIO_H_ */
