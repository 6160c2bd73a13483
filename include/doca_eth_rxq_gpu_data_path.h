/* SPDX-License-Identifier: Apache-2.0 */
/* Receive queues whose data path is on a GPU: what only they have. */
#ifndef DOCA_ETH_RXQ_GPU_DATA_PATH_H_
#define DOCA_ETH_RXQ_GPU_DATA_PATH_H_

#include "doca_eth_rxq.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Asks for the helper queue that GPUs older than sm_90 need with a network card. The virtual NIC
 * needs none; the call is accepted. While idle.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: rxq is NULL
 * @return DOCA_ERROR_BAD_STATE: not idle
 */
doca_error_t doca_eth_rxq_gpu_enable_mcst_qp(struct doca_eth_rxq *rxq);

/**
 * Sets how many further packets must be received before a packet's slot may be written again.
 * That is also the most that one recv returns. 0: N/4, at least 1. While idle.
 *
 * @thread one at a time
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: rxq is NULL, or packets is not less than the queue's slots
 * @return DOCA_ERROR_BAD_STATE: not idle
 */
doca_error_t warpnic_eth_rxq_gpu_set_hold_back(struct doca_eth_rxq *rxq, uint32_t packets);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_ETH_RXQ_GPU_DATA_PATH_H_ */
