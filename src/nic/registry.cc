// SPDX-License-Identifier: Apache-2.0
// The NICs of this process, by PCI-style address.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "core/pci_address.h"
#include "nic/nic.h"
#include "nic/virtual/virtual_nic.h"

namespace warpnic {
namespace {

struct Registry {
  std::mutex mutex;
  bool environment_read = false;
  Status environment;
  std::vector<std::shared_ptr<Nic>> nics;
};

/// Lives as long as the process: NICs have threads, and programs exit while kernels still run.
Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

bool is_taken(const Registry& all, const std::string& address) {
  return std::any_of(all.nics.begin(), all.nics.end(),
                     [&](const auto& nic) { return nic->pci_address() == address; });
}

Result<std::shared_ptr<Nic>> add(Registry& all, const std::string& wanted,
                                 const std::string& spec) {
  std::string address;
  if (wanted.empty()) {
    for (unsigned device = 0; device < 0x1f && (address.empty() || is_taken(all, address));
         ++device) {
      char text[16];
      std::snprintf(text, sizeof text, "0000:ff:%02x.0", device);
      address = text;
    }
  } else {
    const Result<std::string> full = full_pci_address(wanted);
    if (!full.ok()) return full.status();
    address = full.value();
  }
  if (is_taken(all, address)) {
    return Status(DOCA_ERROR_ALREADY_EXIST, "a NIC has the address " + address + " already");
  }
  Result<std::unique_ptr<Link>> link = open_link(spec);
  if (!link.ok()) return link.status();
  const std::string name = "vnic" + std::to_string(all.nics.size());
  all.nics.push_back(
      std::make_shared<VirtualNic>(name, address, spec, std::move(link.value())));
  return all.nics.back();
}

/// WARPNIC_DEVICES: "ADDRESS=SPEC;ADDRESS=SPEC...".
Status read_environment(Registry& all) {
  const char* text = std::getenv("WARPNIC_DEVICES");
  std::string rest = text ? text : "";
  while (!rest.empty()) {
    const size_t semicolon = rest.find(';');
    const std::string part = rest.substr(0, semicolon);
    rest.erase(0, semicolon == std::string::npos ? rest.size() : semicolon + 1);
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Status(DOCA_ERROR_INVALID_VALUE,
                    "WARPNIC_DEVICES: '" + part + "' is not ADDRESS=SPEC, such as "
                    "ff:00.0=pcap:in.pcap");
    }
    const auto nic = add(all, part.substr(0, equals), part.substr(equals + 1));
    if (!nic.ok()) {
      return Status(nic.status().code(),
                    "WARPNIC_DEVICES: '" + part + "': " + nic.status().cause());
    }
  }
  return {};
}

Status ensure_environment(Registry& all) {
  if (!all.environment_read) {
    all.environment_read = true;
    all.environment = read_environment(all);
  }
  return all.environment;
}

}  // namespace

Result<std::vector<std::shared_ptr<Nic>>> all_nics() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  const Status status = ensure_environment(all);
  if (!status.ok()) return status;
  return all.nics;
}

Result<std::shared_ptr<Nic>> add_virtual_nic(const std::string& pci_address,
                                             const std::string& spec) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  const Status status = ensure_environment(all);  // its addresses come first
  if (!status.ok()) return status;
  return add(all, pci_address, spec);
}

}  // namespace warpnic
