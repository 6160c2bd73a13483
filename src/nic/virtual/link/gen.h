// SPDX-License-Identifier: Apache-2.0
// A generator of synthetic flows as a link.
#pragma once

#include <memory>
#include <string>

#include "nic/virtual/link/link.h"

namespace warpnic {

struct GenOptions {
  uint32_t size = 64;          ///< bytes of a frame, without its checksum (FCS); 0: IMIX
  uint32_t flows = 1;
  uint64_t rate = 0;           ///< frames per second; 0: as fast as queues take them, lossless
  uint64_t seed = 1;           ///< chooses addresses, ports and the order of flows
  uint64_t count = 0;          ///< frames in all; 0: endless
  bool udp = true, tcp = false, icmp = false;  ///< protocols, flow by flow in turn
};

/// NO_MEMORY if flows and sizes need more than 1 GiB of frames.
Result<std::unique_ptr<Link>> open_gen_link(const GenOptions& options);

}  // namespace warpnic
