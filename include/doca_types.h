/* SPDX-License-Identifier: Apache-2.0 */
/* Types that several headers share. */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_buf_arr;
struct doca_buf_inventory;
struct doca_buf_pool;
struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_devinfo_rep;
struct doca_gpu;
struct doca_gpu_buf;
struct doca_gpu_buf_arr;
struct doca_mmap;
struct doca_pe;
struct doca_task;
struct doca_task_batch;

/** A user's cookie. */
union doca_data {
	void *ptr;
	uint64_t u64;
};

/** Who may do what with registered memory; values are OR-ed. */
enum doca_access_flag {
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1 << 0,
	DOCA_ACCESS_FLAG_RDMA_READ = 1 << 1,
	DOCA_ACCESS_FLAG_RDMA_WRITE = 1 << 2,
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = 1 << 3,
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = 1 << 4,
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = 1 << 5,
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 1 << 6,
};

/** Kind of PCI function behind a device. */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0, /**< physical function; virtual NICs say this too */
	DOCA_PCI_FUNC_TYPE_VF = 1, /**< virtual function */
	DOCA_PCI_FUNC_TYPE_SF = 2, /**< scalable function */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H_ */
