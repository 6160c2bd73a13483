/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ethernet receive queues, host side. Life: create, set_type, set_pkt_buf,
 * doca_ctx_set_datapath_on_gpu, doca_ctx_start, get_gpu_handle, kernels, doca_ctx_stop, destroy.
 * The device side is doca_gpunetio_dev_eth_rxq.cuh.
 *
 * A queue has N slots, max_burst_size rounded up to a power of two. A packet occupies
 * max_packet_size rounded up to 64 bytes. A frame longer than max_packet_size is dropped and
 * counted. The queue holds back N/4 slots (doca_eth_rxq_gpu_data_path.h): a packet stays intact
 * until that many further packets were received.
 *
 * One thread at a time may call on one queue.
 */
#ifndef DOCA_ETH_RXQ_H_
#define DOCA_ETH_RXQ_H_

#include "doca_ctx.h"
#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Receive queue on the host. */
struct doca_eth_rxq;
/** Receive queue in kernels. */
struct doca_gpu_eth_rxq;

enum doca_eth_rxq_type {
	DOCA_ETH_RXQ_TYPE_REGULAR = 0,         /**< one posted task a packet; CPU data path */
	DOCA_ETH_RXQ_TYPE_CYCLIC = 1,          /**< a ring of slots; GPU data path */
	DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL = 2, /**< the library hands out buffers; CPU data path */
};

enum doca_eth_rxq_data_path_type {
	DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU = 0,
	DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU = 1,
};

/* Capabilities. All of them:
 *
 * @thread any
 * @return DOCA_SUCCESS, output set
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */

/** Largest max_burst_size. */
doca_error_t doca_eth_rxq_cap_get_max_burst_size(const struct doca_devinfo *devinfo,
						 uint32_t *out_max_burst_size);
/** Largest max_packet_size, bytes. */
doca_error_t doca_eth_rxq_cap_get_max_packet_size(const struct doca_devinfo *devinfo,
						  uint32_t *out_max_packet_size);
/** Largest list of buffers for one packet: 1. */
doca_error_t doca_eth_rxq_cap_get_max_recv_buf_list_len(const struct doca_devinfo *devinfo,
							uint32_t *out_max_list_len);
/** Largest packet made by large receive offload: 0, there is none. */
doca_error_t doca_eth_rxq_cap_get_max_lro_packet_size(const struct doca_devinfo *devinfo,
						      uint32_t *out_max_lro_packet_size);
/** Words of metadata for a packet: 0. */
doca_error_t doca_eth_rxq_cap_get_max_metadata_num(const struct doca_devinfo *devinfo,
						   uint8_t *out_max_metadata_num);
/**
 * Whether a type goes with a data path: CYCLIC with GPU does.
 *
 * @thread any
 * @return DOCA_SUCCESS: yes
 * @return DOCA_ERROR_NOT_SUPPORTED: no
 * @return DOCA_ERROR_INVALID_VALUE: devinfo is NULL, or no such type or data path
 */
doca_error_t doca_eth_rxq_cap_is_type_supported(const struct doca_devinfo *devinfo,
						enum doca_eth_rxq_type type,
						enum doca_eth_rxq_data_path_type data_path_type);

/**
 * A queue, idle.
 *
 * @param dev              kept in use by the queue, also when it is closed meanwhile
 * @param max_burst_size   packets, from 2 to what doca_eth_rxq_cap_get_max_burst_size says (at most
 *                         65536); rounded up to a power of two
 * @param max_packet_size  bytes, from 14 to what doca_eth_rxq_cap_get_max_packet_size says
 * @param out_rxq          gives the queue, to be destroyed
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL or out of range
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_eth_rxq_create(struct doca_dev *dev, uint32_t max_burst_size,
				 uint32_t max_packet_size, struct doca_eth_rxq **out_rxq);

/**
 * Destroys a queue.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: rxq is NULL
 * @return DOCA_ERROR_IN_USE: the queue is not idle; doca_ctx_stop it first. Nothing changed
 */
doca_error_t doca_eth_rxq_destroy(struct doca_eth_rxq *rxq);

/**
 * Chooses the type; a queue begins as REGULAR. While idle.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: rxq is NULL, or no such type
 * @return DOCA_ERROR_BAD_STATE: not idle
 */
doca_error_t doca_eth_rxq_set_type(struct doca_eth_rxq *rxq, enum doca_eth_rxq_type type);

/**
 * Attaches the packet memory. While idle.
 *
 * @param mmap    started, with the queue's device in it; kept in use while the queue runs
 * @param offset  of the first slot in the map's range; the slot's address must be on 64 bytes
 * @param size    bytes; at least what doca_eth_rxq_estimate_packet_buf_size says
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, offset and size lie outside the map, or
 *         the first slot is not on 64 bytes
 * @return DOCA_ERROR_NOT_PERMITTED: the map lets devices only read (doca_mmap_set_permissions)
 * @return DOCA_ERROR_BAD_STATE: the queue is not idle, or the map is not started
 */
doca_error_t doca_eth_rxq_set_pkt_buf(struct doca_eth_rxq *rxq, struct doca_mmap *mmap,
				      uint64_t offset, uint32_t size);

/**
 * Bytes of packet memory that a queue needs. For CYCLIC: max_burst_size rounded up to a power of
 * two, times max_packet_size rounded up to 64; the other arguments are 0.
 *
 * @thread any
 * @return DOCA_SUCCESS, *out_size set
 * @return DOCA_ERROR_INVALID_VALUE: out_size is NULL, no such type, or a size out of range
 * @return DOCA_ERROR_NOT_SUPPORTED: the type is not CYCLIC
 * @return DOCA_ERROR_TOO_BIG: 4 GiB or more would be needed
 */
doca_error_t doca_eth_rxq_estimate_packet_buf_size(enum doca_eth_rxq_type type, uint32_t rate,
						   uint32_t pkt_max_process_time,
						   uint32_t max_packet_size,
						   uint32_t max_burst_size, uint8_t log_max_lro,
						   uint16_t headroom, uint16_t tailroom,
						   uint32_t *out_size);

/**
 * Gives the queue the number that flow rules and messages use, until it is stopped. While running.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: rxq is NULL
 * @return DOCA_ERROR_BAD_STATE: not running
 */
doca_error_t doca_eth_rxq_apply_queue_id(struct doca_eth_rxq *rxq, uint16_t queue_id);

/**
 * The queue for kernels. While running. The handle is readable until doca_gpu_destroy: a kernel's
 * call that comes after the stop returns DOCA_ERROR_BAD_STATE.
 *
 * @thread any, while nobody starts or stops the queue
 * @return DOCA_SUCCESS, *out_rxq set
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_BAD_STATE: not running
 */
doca_error_t doca_eth_rxq_get_gpu_handle(const struct doca_eth_rxq *rxq,
					 struct doca_gpu_eth_rxq **out_rxq);

/**
 * The context view.
 *
 * @thread any
 * @return the context; NULL if rxq is NULL
 */
struct doca_ctx *doca_eth_rxq_as_doca_ctx(struct doca_eth_rxq *rxq);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_RXQ_H_ */
