// SPDX-License-Identifier: Apache-2.0
// doca_eth_rxq.h and doca_eth_rxq_gpu_data_path.h
#include "doca_eth_rxq.h"

#include "api/number_of.h"
#include "api/objects.h"
#include "doca_eth_rxq_gpu_data_path.h"
#include "eth/receive_queue.h"

using namespace warpnic;

namespace {

template <class T>
doca_error_t capability(const char* call, const doca_devinfo* devinfo, T* out, T NicCaps::*member,
                        T fixed) {
  return api::guard(call, [&]() -> Status {
    const NicCaps caps = api::need(devinfo).nic->caps();
    api::need_not_null(out) = member ? caps.*member : fixed;
    return {};
  });
}

/// What comes from C is first asked for its number.
Status check_type(const enum doca_eth_rxq_type& type) {
  const int number = api::number_of(type);
  if (number == DOCA_ETH_RXQ_TYPE_REGULAR || number == DOCA_ETH_RXQ_TYPE_CYCLIC ||
      number == DOCA_ETH_RXQ_TYPE_MANAGED_MEMPOOL) {
    return {};
  }
  return Status(DOCA_ERROR_INVALID_VALUE,
                "there is no type " + std::to_string(number) + " of receive queues");
}

Status check_data_path(const enum doca_eth_rxq_data_path_type& type) {
  const int number = api::number_of(type);
  if (number == DOCA_ETH_RXQ_DATA_PATH_TYPE_CPU || number == DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU) {
    return {};
  }
  return Status(DOCA_ERROR_INVALID_VALUE, "there is no data path " + std::to_string(number));
}

}  // namespace

extern "C" {

doca_error_t doca_eth_rxq_cap_get_max_burst_size(const doca_devinfo* devinfo, uint32_t* out) {
  return capability("doca_eth_rxq_cap_get_max_burst_size", devinfo, out,
                    &NicCaps::max_receive_slots, 0u);
}
doca_error_t doca_eth_rxq_cap_get_max_packet_size(const doca_devinfo* devinfo, uint32_t* out) {
  return capability("doca_eth_rxq_cap_get_max_packet_size", devinfo, out,
                    &NicCaps::max_packet_bytes, 0u);
}
doca_error_t doca_eth_rxq_cap_get_max_recv_buf_list_len(const doca_devinfo* devinfo,
                                                        uint32_t* out) {
  return capability<uint32_t>("doca_eth_rxq_cap_get_max_recv_buf_list_len", devinfo, out, nullptr,
                              1u);
}
doca_error_t doca_eth_rxq_cap_get_max_lro_packet_size(const doca_devinfo* devinfo, uint32_t* out) {
  return capability<uint32_t>("doca_eth_rxq_cap_get_max_lro_packet_size", devinfo, out, nullptr,
                              0u);
}
doca_error_t doca_eth_rxq_cap_get_max_metadata_num(const doca_devinfo* devinfo, uint8_t* out) {
  return capability<uint8_t>("doca_eth_rxq_cap_get_max_metadata_num", devinfo, out, nullptr, 0);
}

doca_error_t doca_eth_rxq_cap_is_type_supported(const doca_devinfo* devinfo,
                                                enum doca_eth_rxq_type type,
                                                enum doca_eth_rxq_data_path_type data_path_type) {
  return api::guard_question("doca_eth_rxq_cap_is_type_supported", [&]() -> Status {
    api::need(devinfo);
    if (Status status = check_type(type); !status.ok()) return status;
    if (Status status = check_data_path(data_path_type); !status.ok()) return status;
    if (type == DOCA_ETH_RXQ_TYPE_CYCLIC && data_path_type == DOCA_ETH_RXQ_DATA_PATH_TYPE_GPU) {
      return {};
    }
    return Status(DOCA_ERROR_NOT_SUPPORTED,
                  "receive queues are of type CYCLIC with the data path on a GPU, so far");
  });
}

doca_error_t doca_eth_rxq_create(doca_dev* dev, uint32_t max_burst_size, uint32_t max_packet_size,
                                 doca_eth_rxq** out_rxq) {
  return api::guard("doca_eth_rxq_create", [&]() -> Status {
    const auto nic = api::need(dev).info.nic;
    api::need_not_null(out_rxq);
    const Status status = check_sizes(max_burst_size, max_packet_size, nic->caps());
    if (!status.ok()) return status;
    *out_rxq =
        api::add_context(std::make_unique<doca_eth_rxq>(nic, max_burst_size, max_packet_size));
    return {};
  });
}

doca_error_t doca_eth_rxq_destroy(doca_eth_rxq* rxq) {
  return api::guard("doca_eth_rxq_destroy", [&]() -> Status {
    if (api::need(rxq).state() != DOCA_CTX_STATE_IDLE) {
      return Status(DOCA_ERROR_IN_USE, "the receive queue is not idle; doca_ctx_stop it first");
    }
    api::remove_context(rxq);
    return {};
  });
}

doca_error_t doca_eth_rxq_set_type(doca_eth_rxq* rxq, enum doca_eth_rxq_type type) {
  return api::guard("doca_eth_rxq_set_type", [&]() -> Status {
    doca_eth_rxq& queue = api::need(rxq);
    if (Status status = check_type(type); !status.ok()) return status;
    return queue.set_type(type);
  });
}

doca_error_t doca_eth_rxq_set_pkt_buf(doca_eth_rxq* rxq, doca_mmap* mmap, uint64_t offset,
                                      uint32_t size) {
  return api::guard("doca_eth_rxq_set_pkt_buf", [&] {
    doca_eth_rxq& queue = api::need(rxq);
    return queue.set_packet_memory(api::need(mmap).map, offset, size);
  });
}

doca_error_t doca_eth_rxq_estimate_packet_buf_size(enum doca_eth_rxq_type type, uint32_t, uint32_t,
                                                   uint32_t max_packet_size,
                                                   uint32_t max_burst_size, uint8_t, uint16_t,
                                                   uint16_t, uint32_t* out_size) {
  return api::guard("doca_eth_rxq_estimate_packet_buf_size", [&]() -> Status {
    api::need_not_null(out_size);
    if (Status status = check_type(type); !status.ok()) return status;
    if (type != DOCA_ETH_RXQ_TYPE_CYCLIC) {
      return Status(DOCA_ERROR_NOT_SUPPORTED, "only queues of type CYCLIC can be estimated so far");
    }
    NicCaps any;  // a device's own limits come in with doca_eth_rxq_create
    any.max_packet_bytes = UINT32_MAX - 64;
    if (Status status = check_sizes(max_burst_size, max_packet_size, any); !status.ok()) {
      return status;
    }
    const uint64_t bytes = packet_memory_of(max_packet_size, slots_log2_of(max_burst_size));
    if (bytes > UINT32_MAX) {
      return Status(DOCA_ERROR_TOO_BIG, "the queue would need " + std::to_string(bytes) +
                                            " bytes of packet memory, 4 GiB or more");
    }
    *out_size = static_cast<uint32_t>(bytes);
    return {};
  });
}

doca_error_t doca_eth_rxq_apply_queue_id(doca_eth_rxq* rxq, uint16_t queue_id) {
  return api::guard("doca_eth_rxq_apply_queue_id",
                    [&] { return api::need(rxq).apply_queue_id(queue_id); });
}

doca_error_t doca_eth_rxq_get_gpu_handle(const doca_eth_rxq* rxq, doca_gpu_eth_rxq** out_rxq) {
  return api::guard("doca_eth_rxq_get_gpu_handle", [&]() -> Status {
    const doca_eth_rxq& queue = api::need(rxq);
    api::need_not_null(out_rxq);
    const Result<doca_gpu_eth_rxq*> handle = queue.gpu_handle();
    if (!handle.ok()) return handle.status();
    *out_rxq = handle.value();
    return {};
  });
}

doca_ctx* doca_eth_rxq_as_doca_ctx(doca_eth_rxq* rxq) {
  return api::Objects<doca_eth_rxq>::is_alive(rxq) ? rxq : nullptr;
}

doca_error_t doca_eth_rxq_gpu_enable_mcst_qp(doca_eth_rxq* rxq) {
  return api::guard("doca_eth_rxq_gpu_enable_mcst_qp",
                    [&] { return api::need(rxq).require(DOCA_CTX_STATE_IDLE); });
}

doca_error_t warpnic_eth_rxq_gpu_set_hold_back(doca_eth_rxq* rxq, uint32_t packets) {
  return api::guard("warpnic_eth_rxq_gpu_set_hold_back",
                    [&] { return api::need(rxq).set_hold_back(packets); });
}

}  // extern "C"
