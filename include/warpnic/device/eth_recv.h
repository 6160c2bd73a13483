// SPDX-License-Identifier: Apache-2.0
// Receive, step by step. Stops 6 to 9 of docs/tour.md. The contract that users rely on is in
// doca_gpunetio_dev_eth_rxq.cuh; who writes which word in which order is in docs/ordering.md.
//
//   enter      mark the caller inside, unless the queue is closed
//   look       count the completions that are there, from the consumer index on
//   claim      move the consumer index over them: they are this caller's
//   read       lengths and times
//   return     in index order: tell the NIC which slots it may write next
//   leave
#pragma once

#include "../../doca_gpunetio_eth_def.h"
#include "../port/lane.h"
#include "receive_fault.h"

namespace warpnic {

/// DOCA's exec scopes as groups of lanes. Primary: THREAD.
template <int kScope>
struct GroupOf {
  using type = SoloLane;
};
#if WARPNIC_IN_CUDA_SOURCE
template <>
struct GroupOf<DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP> {
  using type = WarpLanes;
};
template <>
struct GroupOf<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK> {
  using type = BlockLanes;
};
#endif

/// DOCA's choice of attributes as bits: an enumerator, or a bool as DOCA 3.2.0 had it.
WARPNIC_DEVICE constexpr unsigned attribute_mask(doca_gpu_dev_eth_rx_attr choice) {
  return static_cast<unsigned>(choice);
}
WARPNIC_DEVICE constexpr unsigned attribute_mask(bool all) {
  return all ? DOCA_GPUNETIO_ETH_RX_ATTR_ALL : DOCA_GPUNETIO_ETH_RX_ATTR_NONE;
}

/// What one receive brings.
struct Received {
  uint64_t first = 0;   ///< index of the first packet
  uint32_t count = 0;   ///< packets; 0 when the time was over
  doca_error_t status = DOCA_SUCCESS;
};

WARPNIC_DEVICE const Completion& receive_completion(const ReceiveHandle& queue, uint64_t index) {
  return queue.completions[index & ((uint64_t{1} << queue.slots_log2) - 1)];
}

/// Address of the slot of packet `index`.
WARPNIC_DEVICE uint64_t receive_address(const ReceiveHandle& queue, uint64_t index) {
  const uint64_t position = index & ((uint64_t{1} << queue.slots_log2) - 1);
  return queue.packets + position * queue.stride_bytes;
}

/// The caller's place inside the queue, from enter to leave.
WARPNIC_DEVICE bool receive_enter(ReceiveHandle& queue) {
  // Mark, then look; the host closes, then looks at the mark. One of the two sees the other.
  add_and_fence<Scope::kSystem>(&queue.inside, 1u);
  return load_and_fence<Scope::kSystem>(&queue.closed) == 0;
}
WARPNIC_DEVICE void receive_leave(ReceiveHandle& queue) {
  // The full fence also keeps what the caller read of the queue before the mark's going.
  add_and_fence<Scope::kSystem>(&queue.inside, ~0u);
}

/// How many packets from `first` on are there, at most `limit`. An error completion ends the
/// count; if it is the first, it puts the queue into fault.
WARPNIC_DEVICE uint32_t receive_look(ReceiveHandle& queue, uint64_t first, uint32_t limit) {
  uint32_t count = 0;
  while (count < limit) {
    const Completion& entry = receive_completion(queue, first + count);
    CompletionTail tail;
    tail.word = observe<Point::kCompletionOwner, Scope::kSystem>(&entry.tail.word);
    if (!cqe_is_written(tail, first + count, queue.slots_log2)) break;
    if (cqe_opcode(tail.fields.op_own) != kCqeResponseSend) {
      // Another receiver may have claimed up to here meanwhile, and the slot be of a later lap.
      if (count == 0 && peek(&queue.consumer) == first) receive_set_fault(queue, entry);
      break;
    }
    ++count;
  }
  return count;
}

template <unsigned kAttributes>
WARPNIC_DEVICE void receive_attributes(const ReceiveHandle& queue, const Received& packets,
                                       doca_gpu_dev_eth_rxq_attr* attributes) {
  if (kAttributes == DOCA_GPUNETIO_ETH_RX_ATTR_NONE || attributes == nullptr) return;
  for (uint32_t i = 0; i < packets.count; ++i) {
    const Completion& entry = receive_completion(queue, packets.first + i);
    if (kAttributes & DOCA_GPUNETIO_ETH_RX_ATTR_BYTES) attributes[i].bytes = entry.byte_cnt.get();
    if (kAttributes & DOCA_GPUNETIO_ETH_RX_ATTR_TIMESTAMP) {
      attributes[i].timestamp_ns = entry.timestamp.get();
    }
  }
}

/// Lets the NIC write again what the hold-back does not keep. Receivers of one queue do this in
/// the order of their packets, so that the doorbell only grows.
WARPNIC_DEVICE void receive_return(ReceiveHandle& queue, const Received& packets) {
  while (observe<Point::kReceiveTurn, Scope::kDevice>(&queue.released) != packets.first) relax();
  const uint64_t next = packets.first + packets.count;
  const uint64_t limit = next + (uint64_t{1} << queue.slots_log2) - queue.hold_back;
  publish<Point::kReceiveDoorbell, Scope::kSystem>(
      &queue.doorbell->receive.raw, Big<uint32_t>::of(doorbell_count(limit)).raw);
  publish<Point::kReceiveTurn, Scope::kDevice>(&queue.released, next);
}

/// Waits for packets and claims them.
WARPNIC_DEVICE Received receive_wait(ReceiveHandle& queue, uint32_t limit, uint64_t timeout_ns) {
  Received packets;
  packets.status = receive_state(queue);
  if (packets.status != DOCA_SUCCESS) return packets;
  ReceiveWatch watch(queue, timeout_ns);
  while (true) {
    packets.first = peek<Scope::kDevice>(&queue.consumer);
    const uint32_t count = receive_look(queue, packets.first, limit);
    if (count != 0) {
      uint64_t expected = packets.first;
      if (claim_if<Scope::kDevice>(&queue.consumer, &expected, packets.first + count)) {
        packets.count = count;
        return packets;
      }
      continue;  // another receiver was faster; look again at once
    }
    packets.status = watch.turn();
    if (packets.status != DOCA_SUCCESS || watch.timed_out()) return packets;
  }
}

/// One lane receives. `max_packets` 0: no limit but the hold-back.
template <unsigned kAttributes>
WARPNIC_DEVICE Received receive(ReceiveHandle& queue, uint32_t max_packets, uint64_t timeout_ns,
                                doca_gpu_dev_eth_rxq_attr* attributes) {
  Received packets;
  if (!receive_enter(queue)) {
    packets.status = DOCA_ERROR_BAD_STATE;
  } else {
    const uint32_t limit =
        max_packets == 0 || max_packets > queue.hold_back ? queue.hold_back : max_packets;
    packets = receive_wait(queue, limit, timeout_ns);
    if (packets.count != 0) {
      receive_attributes<kAttributes>(queue, packets, attributes);
      receive_return(queue, packets);
    }
  }
  receive_leave(queue);
  return packets;
}

/// The same for a group that calls together: its leader receives and writes the outputs, all
/// return the status. `group` is SoloLane, WarpLanes or BlockLanes.
template <unsigned kAttributes, class Group>
WARPNIC_DEVICE doca_error_t receive_together(Group group, ReceiveHandle& queue,
                                             uint32_t max_packets, uint64_t timeout_ns,
                                             uint64_t* out_first, uint32_t* out_count,
                                             doca_gpu_dev_eth_rxq_attr* attributes) {
  // A barrier: the outputs of the last call may still be being read by slower lanes.
  const bool leads = group.elect();
  unsigned status = DOCA_SUCCESS;
  if (leads) {
    const Received packets = receive<kAttributes>(queue, max_packets, timeout_ns, attributes);
    *out_first = packets.first;
    *out_count = packets.count;
    status = packets.status;
  }
  return static_cast<doca_error_t>(group.share(leads, status));
}

}  // namespace warpnic
