// SPDX-License-Identifier: Apache-2.0
// Any bytes as completions: recv ends, takes no more packets than there are, at most the hold-back,
// and an error completion leaves a fault.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "warpnic/device/eth_recv.h"

namespace {
constexpr uint32_t kSlotsLog2 = 3;
constexpr uint32_t kSlots = 1u << kSlotsLog2;
constexpr uint32_t kHoldBack = 5;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace warpnic;
  if (size == 0) return 0;
  std::vector<Completion> completions(kSlots);
  for (Completion& completion : completions) completion.tail.fields.op_own = kCqeInvalid << 4;
  const uint32_t limit = data[0];
  std::memcpy(static_cast<void*>(completions.data()), data + 1,
              std::min(size - 1, kSlots * sizeof(Completion)));
  DoorbellRecord doorbell{};
  uint64_t heartbeat = 0;
  ReceiveHandle queue{};
  queue.completions = completions.data();
  queue.doorbell = &doorbell;
  queue.heartbeat = &heartbeat;
  queue.stride_bytes = 64;
  queue.slots_log2 = kSlotsLog2;
  queue.hold_back = kHoldBack;
  std::vector<doca_gpu_dev_eth_rxq_attr> attributes(kHoldBack);  // as the contract asks for
  uint64_t total = 0;
  for (int call = 0; call < 4; ++call) {
    const Received packets =
        receive<DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(queue, limit, 0, attributes.data());
    if (packets.count > kHoldBack || (limit != 0 && packets.count > limit)) abort();
    if (packets.count != 0 && packets.first != total) abort();
    if (packets.status != DOCA_SUCCESS &&
        (packets.status != DOCA_ERROR_IO_FAILED || (packets.count != 0))) {
      abort();
    }
    if ((packets.status == DOCA_ERROR_IO_FAILED) != ((queue.fault & kFaultSet) != 0)) abort();
    total += packets.count;
    if (queue.consumer != total || queue.released != total || queue.inside != 0) abort();
  }
  return 0;
}
