// SPDX-License-Identifier: Apache-2.0
// Virtual NICs from a program: create one, and ask what became of its frames. What DOCA has no
// name for; everything else about such a device goes through doca_dev.h.
#pragma once

#include <stdint.h>

#include <string>
#include <utility>
#include <vector>

#include "../doca_dev.h"
#include "../doca_error.h"

namespace warpnic {

/// Creates a virtual NIC, which doca_devinfo_create_list then lists until the process ends.
///
/// @param pci_address  "ff:02.0" or "0000:ff:02.0"; "" takes a free one
/// @param spec         "pcap:FILE[,speed=max|recorded][,repeat=N]" or "gen:KEY=VALUE,..."; see
///                     docs/virtual-nic.md
/// @param out_address  the address it got, always with domain; may be null
/// @param out_why      on failure: one sentence with cause and remedy; may be null
/// @thread any
/// @return DOCA_SUCCESS
/// @return DOCA_ERROR_INVALID_VALUE: spec or address is malformed
/// @return DOCA_ERROR_ALREADY_EXIST: the address is taken
/// @return DOCA_ERROR_NOT_FOUND, DOCA_ERROR_IO_FAILED: the file is missing, cannot be read, or
///         holds no frame
/// @return DOCA_ERROR_NOT_SUPPORTED: the capture is not of Ethernet
doca_error_t create_virtual_nic(const std::string& pci_address, const std::string& spec,
                                std::string* out_address, std::string* out_why);

/// Frames of one NIC. frames == delivered + in_flight + sum of dropped whenever no frame moves;
/// in_flight is zero once all its queues are stopped.
struct NicStatistics {
  uint64_t frames = 0;     ///< that came in
  uint64_t bytes = 0;      ///< of those frames, bytes present
  uint64_t delivered = 0;  ///< returned by recv
  uint64_t in_flight = 0;  ///< written to a queue, not yet returned
  std::vector<std::pair<std::string, uint64_t>> dropped;  ///< every cause, also those with zero
  bool link_ended = false;   ///< no further frame will come (end of a capture)
  std::string link_warning;  ///< e.g. that the capture is cut in its middle; else empty
};

/// @thread any; does not disturb the data path
/// @return DOCA_SUCCESS
/// @return DOCA_ERROR_INVALID_VALUE: dev or out is null
doca_error_t get_nic_statistics(const doca_dev* dev, NicStatistics* out);

}  // namespace warpnic
