// SPDX-License-Identifier: Apache-2.0
// doca_dev.h
#include "doca_dev.h"

#include <cstring>
#include <vector>

#include "api/objects.h"
#include "core/pci_address.h"

using namespace warpnic;

namespace {

/// A list as the program holds it: `entries` is what it gets.
struct DeviceList {
  std::vector<std::unique_ptr<doca_devinfo>> infos;
  std::vector<doca_devinfo*> entries;
};

std::mutex lists_mutex;
std::vector<std::unique_ptr<DeviceList>>& lists() {
  static auto* const instance = new std::vector<std::unique_ptr<DeviceList>>;
  return *instance;
}

const Nic& nic_of(const doca_devinfo* devinfo) { return *api::need(devinfo).nic; }

Status copy_text(const std::string& text, char* buf, uint32_t size) {
  api::need_not_null(buf);
  if (size <= text.size()) {
    return Status(DOCA_ERROR_INVALID_VALUE, "the buffer has " + std::to_string(size) +
                                                " bytes; '" + text + "' and its end need " +
                                                std::to_string(text.size() + 1));
  }
  std::memcpy(buf, text.c_str(), text.size() + 1);
  return {};
}

Status no_representors() {
  return Status(DOCA_ERROR_NOT_SUPPORTED, "there are no representors here");
}

}  // namespace

extern "C" {

doca_error_t doca_devinfo_create_list(doca_devinfo*** out_list, uint32_t* out_count) {
  return api::guard("doca_devinfo_create_list", [&]() -> Status {
    api::need_not_null(out_list);
    api::need_not_null(out_count);
    const auto nics = all_nics();
    if (!nics.ok()) return nics.status();
    auto list = std::make_unique<DeviceList>();
    for (const auto& nic : nics.value()) {
      list->infos.push_back(std::make_unique<doca_devinfo>(nic));
      list->entries.push_back(list->infos.back().get());
    }
    list->entries.push_back(nullptr);
    doca_devinfo** entries = list->entries.data();
    const auto count = static_cast<uint32_t>(list->infos.size());
    std::lock_guard lock(lists_mutex);
    lists().push_back(std::move(list));
    *out_list = entries;
    *out_count = count;
    return {};
  });
}

doca_error_t doca_devinfo_destroy_list(doca_devinfo** list) {
  return api::guard("doca_devinfo_destroy_list", [&]() -> Status {
    api::need_not_null(list);
    std::lock_guard lock(lists_mutex);
    for (auto it = lists().begin(); it != lists().end(); ++it) {
      if ((*it)->entries.data() != list) continue;
      lists().erase(it);
      return {};
    }
    return Status(DOCA_ERROR_INVALID_VALUE, "this is no list, or it was given back already");
  });
}

doca_error_t doca_devinfo_is_equal_pci_addr(const doca_devinfo* devinfo, const char* pci_addr,
                                            uint8_t* out_is_equal) {
  return api::guard("doca_devinfo_is_equal_pci_addr", [&]() -> Status {
    const Nic& nic = nic_of(devinfo);
    api::need_not_null(pci_addr);
    api::need_not_null(out_is_equal);
    const Result<std::string> address = full_pci_address(pci_addr);
    if (!address.ok()) return address.status();
    *out_is_equal = nic.pci_address() == address.value() ? 1 : 0;
    return {};
  });
}

doca_error_t doca_devinfo_get_pci_addr_str(const doca_devinfo* devinfo, char* pci_addr_str) {
  return api::guard("doca_devinfo_get_pci_addr_str", [&] {
    return copy_text(nic_of(devinfo).pci_address(), pci_addr_str, DOCA_DEVINFO_PCI_ADDR_SIZE);
  });
}

doca_error_t doca_devinfo_get_iface_name(const doca_devinfo* devinfo, char* buf, uint32_t size) {
  return api::guard("doca_devinfo_get_iface_name",
                    [&] { return copy_text(nic_of(devinfo).name(), buf, size); });
}

doca_error_t doca_devinfo_get_ibdev_name(const doca_devinfo* devinfo, char* buf, uint32_t size) {
  return api::guard("doca_devinfo_get_ibdev_name",
                    [&] { return copy_text(nic_of(devinfo).name(), buf, size); });
}

doca_error_t doca_devinfo_get_mac_addr(const doca_devinfo* devinfo, uint8_t* buf, uint32_t size) {
  return api::guard("doca_devinfo_get_mac_addr", [&]() -> Status {
    const std::string address = nic_of(devinfo).pci_address();
    api::need_not_null(buf);
    if (size < DOCA_DEVINFO_MAC_ADDR_SIZE) {
      return Status(DOCA_ERROR_INVALID_VALUE, "a MAC address needs 6 bytes");
    }
    // "dddd:bb:dd.f": locally administered (bit 1 of the first byte), the rest from the address.
    unsigned domain = 0, bus = 0, device = 0, function = 0;
    std::sscanf(address.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function);
    const uint8_t mac[] = {0x02,
                           static_cast<uint8_t>(domain >> 8),
                           static_cast<uint8_t>(domain),
                           static_cast<uint8_t>(bus),
                           static_cast<uint8_t>(device),
                           static_cast<uint8_t>(function)};
    std::memcpy(buf, mac, sizeof mac);
    return {};
  });
}

doca_error_t doca_devinfo_get_pci_func_type(const doca_devinfo* devinfo,
                                            enum doca_pci_func_type* out_type) {
  return api::guard("doca_devinfo_get_pci_func_type", [&]() -> Status {
    nic_of(devinfo);
    api::need_not_null(out_type) = DOCA_PCI_FUNC_TYPE_PF;
    return {};
  });
}

doca_error_t doca_devinfo_get_sf_index(const doca_devinfo* devinfo, uint32_t* out_index) {
  return api::guard_question("doca_devinfo_get_sf_index", [&]() -> Status {
    const Nic& nic = nic_of(devinfo);
    api::need_not_null(out_index);
    return Status(DOCA_ERROR_NOT_SUPPORTED, "device " + nic.pci_address() +
                                                " is no scalable function");
  });
}

doca_error_t doca_dev_open(doca_devinfo* devinfo, doca_dev** out_dev) {
  return api::guard("doca_dev_open", [&]() -> Status {
    const auto nic = api::need(devinfo).nic;
    api::need_not_null(out_dev);
    *out_dev = api::Objects<doca_dev>::add(std::make_unique<doca_dev>(nic));
    return {};
  });
}

doca_error_t doca_dev_close(doca_dev* dev) {
  return api::guard("doca_dev_close", [&]() -> Status {
    api::Objects<doca_dev>::remove(&api::need(dev));
    return {};
  });
}

doca_devinfo* doca_dev_as_devinfo(const doca_dev* dev) {
  return api::Objects<doca_dev>::is_alive(dev) ? const_cast<doca_devinfo*>(&dev->info) : nullptr;
}

doca_error_t doca_devinfo_rep_create_list(doca_dev* dev, enum doca_devinfo_rep_filter,
                                          doca_devinfo_rep*** out_list, uint32_t* out_count) {
  return api::guard("doca_devinfo_rep_create_list", [&]() -> Status {
    api::need(dev);
    static doca_devinfo_rep* empty[1] = {nullptr};
    api::need_not_null(out_count);
    api::need_not_null(out_list) = empty;
    *out_count = 0;
    return {};
  });
}

doca_error_t doca_devinfo_rep_destroy_list(doca_devinfo_rep** list) {
  return api::guard("doca_devinfo_rep_destroy_list", [&]() -> Status {
    api::need_not_null(list);
    return {};
  });
}

doca_error_t doca_devinfo_rep_is_equal_pci_addr(const doca_devinfo_rep* rep, const char* pci_addr,
                                                uint8_t* out_is_equal) {
  return api::guard("doca_devinfo_rep_is_equal_pci_addr", [&]() -> Status {
    if (!rep || !pci_addr || !out_is_equal) api::refuse_null();
    return no_representors();
  });
}

doca_error_t doca_devinfo_rep_get_vuid(const doca_devinfo_rep* rep, char* buf, uint32_t) {
  return api::guard("doca_devinfo_rep_get_vuid", [&]() -> Status {
    if (!rep || !buf) api::refuse_null();
    return no_representors();
  });
}

doca_error_t doca_dev_rep_open(doca_devinfo_rep* rep, doca_dev_rep** out_rep) {
  return api::guard("doca_dev_rep_open", [&]() -> Status {
    if (!rep || !out_rep) api::refuse_null();
    return no_representors();
  });
}

doca_error_t doca_dev_rep_close(doca_dev_rep* rep) {
  return api::guard("doca_dev_rep_close", [&]() -> Status {
    if (!rep) api::refuse_null();
    return no_representors();
  });
}

}  // extern "C"
