// SPDX-License-Identifier: Apache-2.0
#include "eth/receive_queue.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "core/log.h"
#include "warpnic/format/mlx5_wqe.h"

namespace warpnic {

uint32_t slots_log2_of(uint32_t max_burst_packets) {
  return static_cast<uint32_t>(std::bit_width(max_burst_packets - 1));
}

uint64_t stride_of(uint32_t max_packet_bytes) {
  return (uint64_t{max_packet_bytes} + 63) / 64 * 64;
}

Status check_sizes(uint32_t max_burst_packets, uint32_t max_packet_bytes, const NicCaps& caps) {
  const uint32_t most_burst = std::bit_floor(std::min(kMostBurst, caps.max_receive_slots));
  if (max_burst_packets < kLeastBurst || max_burst_packets > most_burst) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "max_burst_size is " + std::to_string(max_burst_packets) + "; it can be " +
                      std::to_string(kLeastBurst) + " to " + std::to_string(most_burst));
  }
  if (max_packet_bytes < kLeastPacketBytes || max_packet_bytes > caps.max_packet_bytes) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "max_packet_size is " + std::to_string(max_packet_bytes) + " bytes; it can be " +
                      std::to_string(kLeastPacketBytes) + " to " +
                      std::to_string(caps.max_packet_bytes));
  }
  return {};
}

namespace {

using std::chrono::steady_clock;

/// How long a stop waits for kernels to leave.
std::chrono::milliseconds stop_limit() {
  constexpr std::chrono::milliseconds kUsual{5000};
  const char* text = std::getenv("WARPNIC_STOP_TIMEOUT_MS");
  if (text == nullptr) return kUsual;
  uint32_t given = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, given);
  if (error == std::errc() && rest == end) return std::chrono::milliseconds(given);
  log_warning("WARPNIC_STOP_TIMEOUT_MS is '" + std::string(text) +
              "', which is no number of milliseconds; 5000 it is");
  return kUsual;
}

std::string fault_text(uint32_t fault) {
  const uint32_t syndrome = fault & 0xff;
  std::string text = "error completion with syndrome " + std::to_string(syndrome);
  if (syndrome == kSyndromeLocalProtection) {
    text += ": the packet memory is not registered under the queue's key";
  } else if (syndrome == kSyndromeLocalLength) {
    text += ": a frame was longer than its slot";
  }
  return text;
}

}  // namespace
}  // namespace warpnic

using warpnic::Result;
using warpnic::Status;

doca_eth_rxq::doca_eth_rxq(std::shared_ptr<warpnic::Nic> nic, uint32_t max_burst_packets,
                           uint32_t max_packet_bytes)
    : nic_(std::move(nic)),
      max_packet_bytes_(max_packet_bytes),
      slots_log2_(warpnic::slots_log2_of(max_burst_packets)) {}

Status doca_eth_rxq::set_type(enum doca_eth_rxq_type type) {
  if (Status status = require(DOCA_CTX_STATE_IDLE); !status.ok()) return status;
  type_ = type;
  return {};
}

Status doca_eth_rxq::set_packet_memory(std::shared_ptr<warpnic::MemoryMap> map, uint64_t offset,
                                       uint32_t bytes) {
  if (Status status = require(DOCA_CTX_STATE_IDLE); !status.ok()) return status;
  if (Status status = map->check_packet_memory(offset, bytes); !status.ok()) return status;
  map_ = std::move(map);
  offset_ = offset;
  packet_memory_bytes_ = bytes;
  return {};
}

Status doca_eth_rxq::set_hold_back(uint32_t packets) {
  if (Status status = require(DOCA_CTX_STATE_IDLE); !status.ok()) return status;
  if (packets >= 1u << slots_log2_) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "a queue of " + std::to_string(1u << slots_log2_) +
                      " slots can hold back at most " + std::to_string((1u << slots_log2_) - 1) +
                      " packets, not " + std::to_string(packets));
  }
  hold_back_ = packets;
  return {};
}

Status doca_eth_rxq::apply_queue_id(uint16_t id) {
  if (Status status = require(DOCA_CTX_STATE_RUNNING); !status.ok()) return status;
  queue_id_ = id;
  return {};
}

Result<struct doca_gpu_eth_rxq*> doca_eth_rxq::gpu_handle() const {
  if (Status status = require(DOCA_CTX_STATE_RUNNING); !status.ok()) return status;
  return reinterpret_cast<struct doca_gpu_eth_rxq*>(layout_.handle);
}

std::string doca_eth_rxq::title() const {
  const std::string device = " of device " + nic_->pci_address();
  return queue_id_ ? "receive queue " + std::to_string(*queue_id_) + device
                   : "a receive queue" + device;
}

Status doca_eth_rxq::check_configuration() const {
  if (!gpu()) {
    return Status(DOCA_ERROR_NOT_SUPPORTED,
                  "receive queues with the data path on the CPU are not there yet; call "
                  "doca_ctx_set_datapath_on_gpu before doca_ctx_start");
  }
  if (type_ != DOCA_ETH_RXQ_TYPE_CYCLIC) {
    return Status(DOCA_ERROR_NOT_SUPPORTED,
                  "on a GPU a receive queue has the type DOCA_ETH_RXQ_TYPE_CYCLIC; call "
                  "doca_eth_rxq_set_type");
  }
  if (!map_) {
    return Status(DOCA_ERROR_BAD_STATE,
                  "the receive queue has no packet memory; call doca_eth_rxq_set_pkt_buf");
  }
  const uint64_t needed = warpnic::packet_memory_of(max_packet_bytes_, slots_log2_);
  if (packet_memory_bytes_ < needed) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "the packet memory has " + std::to_string(packet_memory_bytes_) +
                      " bytes, and the queue's " + std::to_string(1u << slots_log2_) +
                      " slots need " + std::to_string(needed) +
                      "; doca_eth_rxq_estimate_packet_buf_size tells");
  }
  return {};
}

/// Allocates and fills descriptors, completions, doorbell record and handle. What it allocated is
/// in `layout`, also on failure.
Status doca_eth_rxq::lay_out(const PacketMemory& packets, warpnic::ReceiveLayout* layout) const {
  using namespace warpnic;
  const uint32_t slots = 1u << slots_log2_;
  const auto stride = static_cast<uint32_t>(stride_of(max_packet_bytes_));
  const uint32_t hold_back = hold_back_ ? hold_back_ : std::max(1u, slots / 4);

  std::vector<ReceiveDescriptor> descriptors(slots);
  for (uint32_t i = 0; i < slots; ++i) {
    descriptors[i] =
        make_receive_descriptor(packets.address + uint64_t{i} * stride, stride, packets.key);
  }
  std::vector<Completion> completions(slots);
  for (Completion& completion : completions) completion.tail.fields.op_own = kCqeInvalid << 4;
  DoorbellRecord doorbell{};
  doorbell.receive = Big<uint32_t>::of(doorbell_count(slots - hold_back));

  Gpu& device = *gpu()->gpu();
  const auto place = [&](std::shared_ptr<Allocation>* piece, const void* from, size_t bytes) {
    Result<std::shared_ptr<Allocation>> memory = gpu()->allocate_shared(bytes, 64);
    if (!memory.ok()) return memory.status();
    *piece = std::move(memory.value());
    return device.write((*piece)->memory().gpu, from, bytes);
  };
  Status status = place(&layout->descriptors, descriptors.data(), slots * sizeof descriptors[0]);
  if (!status.ok()) return status;
  status = place(&layout->completions, completions.data(), slots * sizeof completions[0]);
  if (!status.ok()) return status;
  status = place(&layout->doorbell, &doorbell, sizeof doorbell);
  if (!status.ok()) return status;

  const Result<void*> page = gpu()->allocate_handle(sizeof(ReceiveHandle));
  if (!page.ok()) return page.status();
  layout->handle = static_cast<ReceiveHandle*>(page.value());
  ReceiveHandle handle{};
  handle.size = sizeof handle;
  handle.version = kReceiveHandleVersion;
  handle.packets = packets.address;
  handle.completions = static_cast<const Completion*>(layout->completions->memory().gpu);
  handle.doorbell = static_cast<DoorbellRecord*>(layout->doorbell->memory().gpu);
  handle.heartbeat = nic_->heartbeat();
  handle.stride_bytes = stride;
  handle.slots_log2 = slots_log2_;
  handle.hold_back = hold_back;
  handle.mkey_be = Big<uint32_t>::of(packets.key).raw;
  return device.write(layout->handle, &handle, sizeof handle);
}

Status doca_eth_rxq::do_start() {
  if (Status status = check_configuration(); !status.ok()) return status;
  const Result<PacketMemory> packets = map_->acquire(*nic_, offset_, packet_memory_bytes_);
  if (!packets.ok()) return packets.status();
  ++gpu()->running;
  const auto give_back = [this] {
    --gpu()->running;
    map_->release();
  };
  try {
    const Status status = start_with(packets.value());
    // A NIC that did not answer may still write to the packets: then they stay in use.
    if (!status.ok() && status.code() != DOCA_ERROR_TIME_OUT) give_back();
    return status;
  } catch (...) {
    give_back();
    throw;
  }
}

Status doca_eth_rxq::start_with(const PacketMemory& packets) {
  using namespace warpnic;
  ReceiveLayout layout;
  const auto free_handle = [this](ReceiveHandle* unseen) {
    gpu()->free_unseen_handle(unseen);
  };
  std::unique_ptr<ReceiveHandle, decltype(free_handle)> handle(nullptr, free_handle);
  const Status laid_out = lay_out(packets, &layout);
  handle.reset(layout.handle);
  if (!laid_out.ok()) return laid_out;

  ReceiveQueueSpec spec;
  spec.gpu = gpu()->gpu();
  spec.handle = layout.handle;
  spec.descriptors = static_cast<const ReceiveDescriptor*>(layout.descriptors->memory().gpu);
  spec.completions = static_cast<Completion*>(layout.completions->memory().gpu);
  spec.doorbell = static_cast<DoorbellRecord*>(layout.doorbell->memory().gpu);
  spec.slots_log2 = slots_log2_;
  spec.max_packet_bytes = max_packet_bytes_;
  const Result<ReceiveQueueId> id = nic_->start_receive_queue(spec);
  if (!id.ok()) {
    if (id.status().code() == DOCA_ERROR_TIME_OUT) {
      handle.release();
      keep_for_ever(std::move(layout.descriptors));
      keep_for_ever(std::move(layout.completions));
      keep_for_ever(std::move(layout.doorbell));
    }
    return id.status();
  }
  id_ = id.value();
  layout_ = std::move(layout);
  handle.release();
  return {};
}

/// From its success on, no kernel is inside a call on the queue, and none gets in.
Status doca_eth_rxq::close_for_kernels() {
  warpnic::Gpu& device = *gpu()->gpu();
  const std::chrono::milliseconds limit = warpnic::stop_limit();
  const auto deadline = warpnic::steady_clock::now() + limit;
  device.store_word(&layout_.handle->closed, 1);
  while (device.load_word(&layout_.handle->inside) != 0) {
    if (warpnic::steady_clock::now() > deadline) {
      return Status(DOCA_ERROR_IN_USE,
                    "a kernel has been inside doca_gpu_dev_eth_rxq_recv on " + title() + " for " +
                        std::to_string(limit.count()) +
                        " ms; tell the kernel to end, wait for it, and stop the queue again");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return {};
}

void doca_eth_rxq::report_fault() const noexcept {
  try {
    const uint32_t fault = gpu()->gpu()->load_word(&layout_.handle->fault);
    if (fault != 0) warpnic::log_error(title() + " had a fault: " + warpnic::fault_text(fault));
  } catch (...) {  // no memory for the message; the stop goes on
  }
}

Status doca_eth_rxq::do_stop() {
  warpnic::Gpu& device = *gpu()->gpu();
  const auto stop_nic = [&]() -> Status {
    if (Status status = close_for_kernels(); !status.ok()) return status;
    return nic_->stop_receive_queue(id_, device.load_word(&layout_.handle->consumer));
  };
  Status status;
  try {
    status = stop_nic();
  } catch (...) {
    device.store_word(&layout_.handle->closed, 0);
    throw;
  }
  if (!status.ok()) {
    device.store_word(&layout_.handle->closed, 0);
    return status;
  }
  report_fault();
  layout_ = {};
  queue_id_.reset();
  --gpu()->running;
  map_->release();
  return {};
}
