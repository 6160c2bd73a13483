/* SPDX-License-Identifier: Apache-2.0 */
/* What only a C program does: it passes numbers that are no enumerators. */
#include "doca_error.h"
#include "doca_eth_rxq.h"
#include "doca_gpunetio.h"

const char *name_of_number(int number);
const char *sentence_of_number(int number);
doca_error_t is_type_supported(const struct doca_devinfo *devinfo, int type, int data_path_type);
doca_error_t set_type(struct doca_eth_rxq *rxq, int type);
doca_error_t estimate_type(int type, uint32_t *out_size);
doca_error_t allocate_type(struct doca_gpu *gpu, int type, void **out_gpu, void **out_cpu);

const char *name_of_number(int number)
{
	return doca_error_get_name((doca_error_t)number);
}

const char *sentence_of_number(int number)
{
	return doca_error_get_descr((doca_error_t)number);
}

doca_error_t is_type_supported(const struct doca_devinfo *devinfo, int type, int data_path_type)
{
	return doca_eth_rxq_cap_is_type_supported(devinfo, (enum doca_eth_rxq_type)type,
						  (enum doca_eth_rxq_data_path_type)data_path_type);
}

doca_error_t set_type(struct doca_eth_rxq *rxq, int type)
{
	return doca_eth_rxq_set_type(rxq, (enum doca_eth_rxq_type)type);
}

doca_error_t estimate_type(int type, uint32_t *out_size)
{
	return doca_eth_rxq_estimate_packet_buf_size((enum doca_eth_rxq_type)type, 0, 0, 2048,
						     16384, 0, 0, 0, out_size);
}

doca_error_t allocate_type(struct doca_gpu *gpu, int type, void **out_gpu, void **out_cpu)
{
	return doca_gpu_mem_alloc(gpu, 100, 64, (enum doca_gpu_mem_type)type, out_gpu, out_cpu);
}
