/* SPDX-License-Identifier: Apache-2.0 */
/* Constants and types of the Ethernet data path that host code and kernels share. */
#ifndef DOCA_GPUNETIO_ETH_DEF_H_
#define DOCA_GPUNETIO_ETH_DEF_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The object `x` as volatile: an lvalue, to read a flag that somebody else writes, or to write it.
 * Usable in C, in C++ and in kernels. It orders nothing: to hand over more than the flag itself,
 * put __threadfence() (or a publish of warpnic/port/order.h) between.
 */
#define DOCA_GPUNETIO_VOLATILE(x) (*(volatile __typeof__(x) *)&(x))

/** Lanes in a warp. */
#define DOCA_GPUNETIO_ETH_WARP_SIZE 32

/** Who calls a device function together. */
enum doca_gpu_dev_eth_exec_scope {
	DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD = 0, /**< one thread by itself */
	DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP = 1,   /**< all threads of a warp that have not exited */
	DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK = 2,  /**< all threads of a block that have not exited */
};

/** Who touches a queue at the same time. */
enum doca_gpu_dev_eth_resource_sharing_mode {
	DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_EXCLUSIVE = 0, /**< one thread */
	DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_CTA = 1,       /**< threads of one block */
	DOCA_GPUNETIO_ETH_RESOURCE_SHARING_MODE_GPU = 2,       /**< several blocks */
};

/** How far a fence reaches. */
enum doca_gpu_dev_eth_sync_scope {
	DOCA_GPUNETIO_ETH_SYNC_SCOPE_THREAD = 0,
	DOCA_GPUNETIO_ETH_SYNC_SCOPE_CTA = 1,
	DOCA_GPUNETIO_ETH_SYNC_SCOPE_GPU = 2,
	DOCA_GPUNETIO_ETH_SYNC_SCOPE_SYS = 3,
};

/** Who rings the doorbell. */
enum doca_gpu_dev_eth_nic_handler {
	DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO = 0,      /**< as the queue was set up on the host */
	DOCA_GPUNETIO_ETH_NIC_HANDLER_CPU_PROXY = 1, /**< a CPU thread, for the kernel */
	DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB = 2, /**< the kernel itself */
};

/** Whether a receive needs a step of its own to make payload visible (GPUs older than sm_90). */
enum doca_gpu_dev_eth_mcst_mode {
	DOCA_GPUNETIO_ETH_MCST_DISABLED = 0,
	DOCA_GPUNETIO_ETH_MCST_ENABLED = 1,
	DOCA_GPUNETIO_ETH_MCST_AUTO = 2, /**< the library decides */
};

/** Which members of struct doca_gpu_dev_eth_rxq_attr a receive fills. */
enum doca_gpu_dev_eth_rx_attr {
	DOCA_GPUNETIO_ETH_RX_ATTR_NONE = 0,
	DOCA_GPUNETIO_ETH_RX_ATTR_BYTES = 1,
	DOCA_GPUNETIO_ETH_RX_ATTR_TIMESTAMP = 2,
	DOCA_GPUNETIO_ETH_RX_ATTR_ALL = 3,
};

/** Which completions a poll of a send queue looks at. */
enum doca_gpu_dev_eth_cq_poll {
	DOCA_GPUNETIO_ETH_CQ_POLL_LAST = 0, /**< only the last of those asked for */
};

/** Whether a poll of a send queue waits. */
enum doca_gpu_dev_eth_wait_flags {
	DOCA_GPUNETIO_ETH_WAIT_FLAG_B = 1, /**< until it is done */
};

/** What to ask of the NIC for one packet to send. */
enum doca_gpu_eth_send_flags {
	DOCA_GPUNETIO_ETH_SEND_FLAG_NONE = 0,
	DOCA_GPUNETIO_ETH_SEND_FLAG_NOTIFY = 1, /**< a completion */
};

/** Position in a send queue; absolute, it only grows. */
typedef uint64_t doca_gpu_dev_eth_ticket_t;

/** What a receive tells about one packet. 16 bytes. */
struct doca_gpu_dev_eth_rxq_attr {
	uint32_t bytes;        /**< length of the frame, from its Ethernet header on */
	uint64_t timestamp_ns; /**< arrival, nanoseconds since 1970 by the NIC's clock */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_GPUNETIO_ETH_DEF_H_ */
