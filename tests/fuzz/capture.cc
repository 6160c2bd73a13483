// SPDX-License-Identifier: Apache-2.0
// Any bytes as a capture file: refused with a sentence, or played with descriptors that lie inside
// the area.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "nic/virtual/link/pcap.h"
#include "warpnic/port/order.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("capture", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) abort();
  const auto link = warpnic::open_pcap_link("/proc/self/fd/" + std::to_string(file),
                                            warpnic::PcapSpeed::kMax, 2);
  close(file);
  if (!link.ok()) {
    if (link.status().cause().empty()) abort();
    return 0;
  }
  const warpnic::WirePort& port = link.value()->port();
  uint64_t sum = 0;
  while (!link.value()->ended()) {
    link.value()->pump();
    const uint32_t producer = warpnic::peek(port.rx.producer);
    for (uint32_t i = warpnic::peek(port.rx.consumer); i != producer; ++i) {
      const warpnic::WireDescriptor frame = port.rx.entries[i & port.rx.mask];
      if (frame.addr > port.area_bytes || frame.len > port.area_bytes - frame.addr) abort();
      for (uint32_t at = 0; at < frame.len; ++at) sum += port.area[frame.addr + at];
    }
    warpnic::note(port.rx.consumer, producer);
  }
  return sum == ~uint64_t{0};
}
