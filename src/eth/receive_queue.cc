// SPDX-License-Identifier: Apache-2.0
#include "eth/receive_queue.h"

#include <algorithm>
#include <bit>
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

Status check_sizes(uint32_t max_burst_packets, uint32_t max_packet_bytes,
                   uint32_t most_packet_bytes) {
  if (max_burst_packets < kLeastBurst || max_burst_packets > kMostBurst) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "max_burst_size is " + std::to_string(max_burst_packets) + "; it can be " +
                      std::to_string(kLeastBurst) + " to " + std::to_string(kMostBurst));
  }
  if (max_packet_bytes < kLeastPacketBytes || max_packet_bytes > most_packet_bytes) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "max_packet_size is " + std::to_string(max_packet_bytes) + " bytes; it can be " +
                      std::to_string(kLeastPacketBytes) + " to " +
                      std::to_string(most_packet_bytes));
  }
  return {};
}

namespace {

using std::chrono::steady_clock;

/// How long a stop waits for kernels to leave.
std::chrono::milliseconds stop_limit() {
  const char* text = std::getenv("WARPNIC_STOP_TIMEOUT_MS");
  const long given = text ? std::strtol(text, nullptr, 10) : 0;
  return std::chrono::milliseconds(given > 0 ? given : 5000);
}

std::string fault_text(uint32_t fault) {
  const uint32_t syndrome = fault & 0xff;
  std::string text = "error completion with syndrome " + std::to_string(syndrome);
  if (syndrome == kSyndromeLocalProtection) {
    text += ": the packet memory is not registered under the queue's key; was its memory map stopped?";
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
  if (!map->started()) {
    return Status(DOCA_ERROR_BAD_STATE,
                  "the memory map is not started; call doca_mmap_start before set_pkt_buf");
  }
  if (bytes == 0 || offset > map->bytes() || bytes > map->bytes() - offset) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  std::to_string(bytes) + " bytes from offset " + std::to_string(offset) +
                      " do not lie inside the memory map of " + std::to_string(map->bytes()) +
                      " bytes");
  }
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
  return reinterpret_cast<struct doca_gpu_eth_rxq*>(handle_);
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
  const uint64_t needed = warpnic::stride_of(max_packet_bytes_) << slots_log2_;
  if (packet_memory_bytes_ < needed) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "the packet memory has " + std::to_string(packet_memory_bytes_) +
                      " bytes, and the queue's " + std::to_string(1u << slots_log2_) +
                      " slots need " + std::to_string(needed) +
                      "; doca_eth_rxq_estimate_packet_buf_size tells");
  }
  if ((reinterpret_cast<uintptr_t>(map_->address()) + offset_) % 64 != 0) {
    return Status(DOCA_ERROR_INVALID_VALUE,
                  "the packet memory does not begin at a multiple of 64 bytes");
  }
  return {};
}

/// Descriptors, completions, doorbell record and handle, as NIC and kernels find them.
Status doca_eth_rxq::lay_out(uint32_t key) {
  using namespace warpnic;
  const uint32_t slots = 1u << slots_log2_;
  const uint64_t stride = stride_of(max_packet_bytes_);
  const uint32_t hold_back = hold_back_ ? hold_back_ : std::max(1u, slots / 4);
  const uint64_t packets = reinterpret_cast<uint64_t>(map_->address()) + offset_;

  Result<std::shared_ptr<Allocation>> memory[] = {
      gpu()->allocate_shared(slots * sizeof(ReceiveDescriptor), 64),
      gpu()->allocate_shared(slots * sizeof(Completion), 64),
      gpu()->allocate_shared(sizeof(DoorbellRecord), 64)};
  for (const auto& piece : memory) {
    if (!piece.ok()) return piece.status();
  }
  const Result<void*> page = gpu()->allocate_handle(sizeof(ReceiveHandle));
  if (!page.ok()) return page.status();

  std::vector<ReceiveDescriptor> descriptors(slots);
  for (uint32_t i = 0; i < slots; ++i) {
    descriptors[i] =
        make_receive_descriptor(packets + i * stride, static_cast<uint32_t>(stride), key);
  }
  std::vector<Completion> completions(slots);
  for (Completion& completion : completions) completion.tail.fields.op_own = kCqeInvalid << 4;
  DoorbellRecord doorbell{};
  doorbell.receive = Big<uint32_t>::of(doorbell_count(slots - hold_back));

  descriptors_ = memory[0].value();
  completions_ = memory[1].value();
  doorbell_ = memory[2].value();
  handle_ = static_cast<ReceiveHandle*>(page.value());
  ReceiveHandle handle{};
  handle.size = sizeof handle;
  handle.version = kReceiveHandleVersion;
  handle.packets = packets;
  handle.completions = static_cast<const Completion*>(completions_->memory().gpu);
  handle.doorbell = static_cast<DoorbellRecord*>(doorbell_->memory().gpu);
  handle.heartbeat = nic_->heartbeat();
  handle.stride_bytes = static_cast<uint32_t>(stride);
  handle.slots_log2 = slots_log2_;
  handle.hold_back = hold_back;
  handle.mkey_be = Big<uint32_t>::of(key).raw;

  Gpu& device = *gpu()->gpu();
  Status status = device.write(descriptors_->memory().gpu, descriptors.data(),
                               descriptors.size() * sizeof(ReceiveDescriptor));
  if (status.ok()) {
    status = device.write(completions_->memory().gpu, completions.data(),
                          completions.size() * sizeof(Completion));
  }
  if (status.ok()) status = device.write(doorbell_->memory().gpu, &doorbell, sizeof doorbell);
  if (status.ok()) status = device.write(handle_, &handle, sizeof handle);
  return status;
}

Status doca_eth_rxq::do_start() {
  using namespace warpnic;
  if (Status status = check_configuration(); !status.ok()) return status;
  const Result<uint32_t> key = map_->key(*nic_);
  if (!key.ok()) return key.status();
  if (Status status = lay_out(key.value()); !status.ok()) return status;

  ReceiveQueueSpec spec;
  spec.gpu = gpu()->gpu();
  spec.handle = handle_;
  spec.descriptors = static_cast<const ReceiveDescriptor*>(descriptors_->memory().gpu);
  spec.completions = static_cast<Completion*>(completions_->memory().gpu);
  spec.doorbell = static_cast<DoorbellRecord*>(doorbell_->memory().gpu);
  spec.slots_log2 = slots_log2_;
  spec.max_packet_bytes = max_packet_bytes_;
  const Result<ReceiveQueueId> id = nic_->start_receive_queue(spec);
  if (!id.ok()) return id.status();
  id_ = id.value();
  ++map_->users;
  ++gpu()->running;
  return {};
}

/// From its success on, no kernel is inside a call on the queue, and none gets in.
Status doca_eth_rxq::close_for_kernels() {
  warpnic::Gpu& device = *gpu()->gpu();
  device.store_word(&handle_->closed, 1);
  const auto deadline = warpnic::steady_clock::now() + warpnic::stop_limit();
  while (device.load_word(&handle_->inside) != 0) {
    if (warpnic::steady_clock::now() > deadline) {
      device.store_word(&handle_->closed, 0);
      return Status(DOCA_ERROR_IN_USE,
                    "a kernel has been inside doca_gpu_dev_eth_rxq_recv on this queue of device " +
                        nic_->pci_address() + " for " +
                        std::to_string(warpnic::stop_limit().count()) +
                        " ms; tell the kernel to end, wait for it, and stop the queue again");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return {};
}

Status doca_eth_rxq::do_stop() {
  if (Status status = close_for_kernels(); !status.ok()) return status;
  warpnic::Gpu& device = *gpu()->gpu();
  const Status status = nic_->stop_receive_queue(id_, device.load_word(&handle_->consumer));
  if (!status.ok()) {
    device.store_word(&handle_->closed, 0);
    return status;
  }
  if (const uint32_t fault = device.load_word(&handle_->fault); fault != 0) {
    warpnic::log_error("receive queue of device " + nic_->pci_address() + " had a fault: " +
                       warpnic::fault_text(fault));
  }
  --map_->users;
  --gpu()->running;
  handle_ = nullptr;
  descriptors_.reset();
  completions_.reset();
  doorbell_.reset();
  return {};
}
