// SPDX-License-Identifier: Apache-2.0
// A capture file as a link. libpcap stays behind pcap.cc.
#pragma once

#include <memory>
#include <string>

#include "nic/virtual/link/link.h"

namespace warpnic {

enum class PcapSpeed {
  kMax,       ///< as fast as queues take frames; loses none
  kRecorded,  ///< at the recorded times; what finds no free slot is lost, as on a wire
};

/// Reads the whole capture (pcap or pcapng, times in micro- or nanoseconds) and plays it `repeat`
/// times. A capture cut in its middle is played up to the cut, with a warning().
/// NOT_FOUND, IO_FAILED (unreadable, not a capture, no frame in it), NOT_SUPPORTED (not Ethernet),
/// NO_MEMORY.
Result<std::unique_ptr<Link>> open_pcap_link(const std::string& file, PcapSpeed speed,
                                             uint64_t repeat);

}  // namespace warpnic
