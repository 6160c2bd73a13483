/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the library for its version and its devices, and runs a kernel. */
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_eth_rxq.h>
#include <doca_gpunetio.h>
#include <doca_version.h>
#include <stdio.h>

int outside_sum(void);

int main(void)
{
	struct doca_devinfo **list;
	uint32_t count;
	uint32_t i;
	doca_error_t status;

	printf("version %s, interface %s\n", doca_version_runtime(), doca_version());
	status = doca_devinfo_create_list(&list, &count);
	if (status != DOCA_SUCCESS) {
		printf("devices: %s\n", doca_error_get_name(status));
		return 1;
	}
	for (i = 0; i < count; i++) {
		char address[DOCA_DEVINFO_PCI_ADDR_SIZE];

		status = doca_devinfo_get_pci_addr_str(list[i], address);
		if (status != DOCA_SUCCESS)
			return 1;
		printf("device %s\n", address);
	}
	status = doca_devinfo_destroy_list(list);
	if (status != DOCA_SUCCESS)
		return 1;
	printf("sum %d\n", outside_sum());
	return 0;
}
