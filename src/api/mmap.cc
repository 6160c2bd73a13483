// SPDX-License-Identifier: Apache-2.0
// doca_mmap.h
#include "doca_mmap.h"

#include "api/objects.h"

using namespace warpnic;

extern "C" {

doca_error_t doca_mmap_create(doca_mmap** out_mmap) {
  return api::guard("doca_mmap_create", [&]() -> Status {
    api::need_not_null(out_mmap);
    *out_mmap = api::Objects<doca_mmap>::add(
        std::make_unique<doca_mmap>(doca_mmap{std::make_shared<MemoryMap>()}));
    return {};
  });
}

doca_error_t doca_mmap_destroy(doca_mmap* mmap) {
  return api::guard("doca_mmap_destroy", [&]() -> Status {
    MemoryMap& map = *api::need(mmap).map;
    if (map.started()) {
      if (Status status = map.stop(); !status.ok()) return status;
    }
    api::Objects<doca_mmap>::remove(mmap);
    return {};
  });
}

doca_error_t doca_mmap_add_dev(doca_mmap* mmap, doca_dev* dev) {
  return api::guard("doca_mmap_add_dev",
                    [&] { return api::need(mmap).map->add_nic(api::need(dev).info.nic); });
}

doca_error_t doca_mmap_rm_dev(doca_mmap* mmap, doca_dev* dev) {
  return api::guard("doca_mmap_rm_dev",
                    [&] { return api::need(mmap).map->remove_nic(*api::need(dev).info.nic); });
}

doca_error_t doca_mmap_set_max_num_devices(doca_mmap* mmap, uint32_t number) {
  return api::guard("doca_mmap_set_max_num_devices",
                    [&] { return api::need(mmap).map->set_most_nics(number); });
}

doca_error_t doca_mmap_set_memrange(doca_mmap* mmap, void* addr, size_t len) {
  return api::guard("doca_mmap_set_memrange", [&]() -> Status {
    MemoryMap& map = *api::need(mmap).map;
    if (addr == nullptr) return Status(DOCA_ERROR_INVALID_VALUE, "addr is NULL");
    return map.set_range(addr, len);
  });
}

doca_error_t doca_mmap_set_dmabuf_memrange(doca_mmap* mmap, int dmabuf_fd, void* addr, size_t,
                                           size_t len) {
  return api::guard_question("doca_mmap_set_dmabuf_memrange", [&]() -> Status {
    MemoryMap& map = *api::need(mmap).map;
    if (dmabuf_fd < 0 || addr == nullptr || len == 0) {
      return Status(DOCA_ERROR_INVALID_VALUE, "dmabuf_fd is negative, addr NULL, or len 0");
    }
    if (map.started()) return Status(DOCA_ERROR_BAD_STATE, "the memory map is started");
    return Status(DOCA_ERROR_NOT_SUPPORTED,
                  "no device here can use a dmabuf; call doca_mmap_set_memrange with the address");
  });
}

doca_error_t doca_mmap_set_permissions(doca_mmap* mmap, uint32_t access_flags) {
  return api::guard("doca_mmap_set_permissions",
                    [&] { return api::need(mmap).map->set_permissions(access_flags); });
}

doca_error_t doca_mmap_start(doca_mmap* mmap) {
  return api::guard("doca_mmap_start", [&] { return api::need(mmap).map->start(); });
}

doca_error_t doca_mmap_stop(doca_mmap* mmap) {
  return api::guard("doca_mmap_stop", [&] { return api::need(mmap).map->stop(); });
}

doca_error_t doca_mmap_get_mkey(doca_mmap* mmap, doca_dev* dev, uint32_t* out_mkey) {
  return api::guard("doca_mmap_get_mkey", [&]() -> Status {
    const MemoryMap& map = *api::need(mmap).map;
    const Nic& nic = *api::need(dev).info.nic;
    api::need_not_null(out_mkey);
    const Result<uint32_t> key = map.key(nic);
    if (!key.ok()) return key.status();
    *out_mkey = key.value();
    return {};
  });
}

}  // extern "C"
