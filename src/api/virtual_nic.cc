// SPDX-License-Identifier: Apache-2.0
// warpnic/virtual_nic.hpp
#include "warpnic/virtual_nic.hpp"

#include "api/objects.h"

namespace warpnic {

doca_error_t create_virtual_nic(const std::string& pci_address, const std::string& spec,
                                std::string* out_address, std::string* out_why) {
  const Status status = api::run([&]() -> Status {
    const Result<std::shared_ptr<Nic>> nic = add_virtual_nic(pci_address, spec);
    if (!nic.ok()) return nic.status();
    if (out_address) *out_address = nic.value()->pci_address();
    return {};
  });
  if (!status.ok()) {
    // The caller gets the cause; without a place for it, the log does.
    if (out_why) *out_why = status.cause();
    else log_error("create_virtual_nic: " + status.cause());
  }
  return status.code();
}

doca_error_t get_nic_statistics(const doca_dev* dev, NicStatistics* out) {
  return api::guard("get_nic_statistics", [&]() -> Status {
    const Nic& nic = *api::need(dev).info.nic;
    api::need_not_null(out);
    // First whether the link has ended: what it brought before is then in the counters.
    const bool ended = nic.link_ended();
    const NicCounters counters = nic.counters();
    NicStatistics statistics;
    statistics.frames = counters.frames;
    statistics.bytes = counters.bytes;
    statistics.delivered = counters.delivered;
    statistics.in_flight = counters.in_flight;
    for (unsigned cause = 0; cause < kDropCauses; ++cause) {
      statistics.dropped.emplace_back(drop_name(static_cast<Drop>(cause)),
                                      counters.dropped[cause]);
    }
    statistics.link_ended = ended;
    statistics.link_warning = nic.link_warning();
    *out = std::move(statistics);
    return {};
  });
}

}  // namespace warpnic
