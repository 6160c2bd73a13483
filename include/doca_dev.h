/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: find and open them. Virtual NICs are devices with a PCI-style address; a program gets
 * them from the environment variable WARPNIC_DEVICES ("ff:00.0=pcap:in.pcap;ff:01.0=gen:size=64")
 * or creates them with warpnic/virtual_nic.hpp.
 *
 * All functions may be called by any thread.
 */
#ifndef DOCA_DEV_H_
#define DOCA_DEV_H_

#include <string.h>

#include "doca_error.h"
#include "doca_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_DEVINFO_PCI_ADDR_SIZE 13   /**< "0000:ff:00.0" and its end */
#define DOCA_DEVINFO_MAC_ADDR_SIZE 6    /**< bytes */
#define DOCA_DEVINFO_IPV4_ADDR_SIZE 4   /**< bytes */
#define DOCA_DEVINFO_IPV6_ADDR_SIZE 16  /**< bytes */
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64
#define DOCA_DEVINFO_REP_VUID_SIZE 128

/** Which representors to list. There are none yet. */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,
	DOCA_DEVINFO_REP_FILTER_NET = 1 << 1,
	DOCA_DEVINFO_REP_FILTER_EMULATED = 1 << 2,
};

/**
 * Lists the devices there are now.
 *
 * @param out_list   gives an array of *out_count entries, to be given back to destroy_list
 * @thread any
 * @return DOCA_SUCCESS; no device at all is a list of length 0
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or a part of WARPNIC_DEVICES is malformed
 *         (the log names it)
 * @return DOCA_ERROR_NOT_FOUND, DOCA_ERROR_IO_FAILED, DOCA_ERROR_NOT_SUPPORTED: a file of
 *         WARPNIC_DEVICES is missing, unreadable, not Ethernet
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***out_list, uint32_t *out_count);

/**
 * Takes a list back; opened devices stay valid.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: list is NULL or not a list (given back already)
 */
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **list);

/**
 * Compares an address, "ff:00.0" or "0000:ff:00.0", with the device's.
 *
 * @thread any
 * @return DOCA_SUCCESS, *out_is_equal is 1 or 0
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or pci_addr is not an address
 */
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
					    const char *pci_addr, uint8_t *out_is_equal);

/**
 * Copies the address with domain, DOCA_DEVINFO_PCI_ADDR_SIZE bytes with its end.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);

/**
 * Copies the network interface's name; a virtual NIC is called vnic0, vnic1, ...
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or buf is too small
 */
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *buf,
					 uint32_t size);

/** The same for the RDMA device's name; a virtual NIC answers with its interface's name. */
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *buf,
					 uint32_t size);

/**
 * Copies the MAC address, six bytes. A virtual NIC's is locally administered, from its PCI address.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL, or size is less than 6
 */
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *buf,
				       uint32_t size);

/**
 * Kind of PCI function; a virtual NIC answers DOCA_PCI_FUNC_TYPE_PF.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
					    enum doca_pci_func_type *out_type);

/**
 * Number of a scalable function.
 *
 * @thread any
 * @return DOCA_ERROR_NOT_SUPPORTED: the device is none
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *out_index);

/**
 * Opens a device. It may be opened several times.
 *
 * @param out_dev  gives a device, to be closed
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 * @return DOCA_ERROR_NO_MEMORY
 */
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **out_dev);

/**
 * Closes a device. Memory maps and queues made with it keep what they need of it and go on.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: dev is NULL or closed already
 */
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * The device's info, for capability queries. Valid until the device is closed.
 *
 * @thread any
 * @return the info; NULL if dev is NULL or closed
 */
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/* Representors: there are none, so their list is empty and nothing else can be asked. All of them:
 *
 * @thread any
 * @return DOCA_ERROR_NOT_SUPPORTED: there are no representors
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *rep,
						const char *pci_addr, uint8_t *out_is_equal);
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *rep, char *buf,
				       uint32_t size);
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *rep, struct doca_dev_rep **out_rep);
doca_error_t doca_dev_rep_close(struct doca_dev_rep *rep);

/**
 * Lists the representors of a device.
 *
 * @param out_list  gives an empty array, to be given back to doca_devinfo_rep_destroy_list
 * @thread any
 * @return DOCA_SUCCESS, *out_count is 0
 * @return DOCA_ERROR_INVALID_VALUE: an argument is NULL
 */
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, enum doca_devinfo_rep_filter filter,
					  struct doca_devinfo_rep ***out_list,
					  uint32_t *out_count);

/**
 * Takes such a list back.
 *
 * @thread any
 * @return DOCA_SUCCESS
 * @return DOCA_ERROR_INVALID_VALUE: list is NULL
 */
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **list);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H_ */
