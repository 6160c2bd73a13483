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

/// DOCA's exec scopes as groups of lanes.
template <int kScope>
struct GroupOf {
  static_assert(kScope == DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD,
                "exec_scope is THREAD, WARP or BLOCK");
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
template <class Choice>
WARPNIC_DEVICE constexpr unsigned attribute_mask(Choice) {
  static_assert(sizeof(Choice) == 0,
                "rx_attr is an enumerator of doca_gpu_dev_eth_rx_attr or a bool");
  return 0;
}
template <>
WARPNIC_DEVICE constexpr unsigned attribute_mask(doca_gpu_dev_eth_rx_attr choice) {
  return static_cast<unsigned>(choice);
}
template <>
WARPNIC_DEVICE constexpr unsigned attribute_mask(bool all) {
  return all ? DOCA_GPUNETIO_ETH_RX_ATTR_ALL : DOCA_GPUNETIO_ETH_RX_ATTR_NONE;
}

/// What one receive brings.
struct Received {
  uint64_t first = 0;   ///< index of the first packet
  uint32_t count = 0;   ///< packets; 0 when the time was over
  doca_error_t status = DOCA_SUCCESS;
};

/// The queue in one call. Its constants are copied once: behind each fence the compiler would
/// have to load them anew from the handle.
struct ReceiveView {
  ReceiveHandle& queue;
  const Completion* completions;
  uint32_t slots_log2;
  uint32_t hold_back;

  WARPNIC_DEVICE_MEMBER explicit ReceiveView(ReceiveHandle& of)
      : queue(of),
        completions(of.completions),
        slots_log2(of.slots_log2),
        hold_back(of.hold_back) {}

  WARPNIC_DEVICE_MEMBER uint64_t slots() const { return uint64_t{1} << slots_log2; }
  WARPNIC_DEVICE_MEMBER const Completion& completion(uint64_t index) const {
    return completions[index & (slots() - 1)];
  }
};

/// Whether a completion that is written tells of a packet, not of an error.
WARPNIC_DEVICE bool is_packet(uint64_t tail_word) {
  CompletionTail tail;
  tail.word = tail_word;
  return cqe_opcode(tail.fields.op_own) == kCqeResponseSend;
}

/// Address of the slot of packet `index`.
WARPNIC_DEVICE uint64_t receive_address(const ReceiveHandle& queue, uint64_t index) {
  const uint64_t position = index & ((uint64_t{1} << queue.slots_log2) - 1);
  return queue.packets + position * queue.stride_bytes;
}

/// The caller's place inside the queue, from enter to leave. DOCA_SUCCESS, or why there is nothing
/// to receive; leave is due in either case.
WARPNIC_DEVICE doca_error_t receive_enter(ReceiveHandle& queue) {
  const uint32_t fault = peek<Scope::kSystem>(&queue.fault);
  // Mark, then look; the host closes, then looks at the mark. One of the two sees the other.
  const uint32_t closed = mark_and_look<Scope::kSystem>(&queue.inside, 1u, &queue.closed);
  return receive_state_of(closed, fault);
}
WARPNIC_DEVICE void receive_leave(ReceiveHandle& queue) {
  publish_add<Point::kQueueInside, Scope::kSystem>(&queue.inside, ~0u);
}

/// An error completion is the next to be received: the queue goes into fault.
WARPNIC_DEVICE void receive_error(const ReceiveView& view, uint64_t first) {
  const Completion& entry = view.completion(first);
  const uint64_t word = observe<Point::kCompletionOwner, Scope::kSystem>(&entry.tail.word);
  // Another receiver may have claimed up to here meanwhile, and the slot be of a later lap.
  if (!is_packet(word) && peek<Scope::kDevice>(&view.queue.consumer) == first) {
    receive_set_fault(view.queue, entry);
  }
}

/// How many packets from `first` on are there, at most `limit`. An error completion ends the
/// count; if it is the first, it puts the queue into fault.
WARPNIC_DEVICE uint32_t receive_look(const ReceiveView& view, uint64_t first, uint32_t limit) {
  // Position and lap are in the low 32 bits (a ring has at most 65536 slots): fewer registers.
  const uint32_t low = static_cast<uint32_t>(first);
  const auto is_written = [&](uint32_t i, uint64_t word) {
    CompletionTail tail;
    tail.word = word;
    return cqe_is_written(tail, low + i, view.slots_log2);
  };
  const auto run = observe_run<Point::kCompletionOwner, Scope::kSystem>(
      limit, [&](uint32_t i) { return &view.completion(low + i).tail.word; },
      [&](uint32_t i, uint64_t word) { return is_written(i, word) && is_packet(word); });
  if (run.count == 0 && is_written(0, run.next)) receive_error(view, first);
  return run.count;
}

/// Reads lengths and times, a few completions at a time: a load behind a store that might change
/// what it loads would wait for the load before it. The last group reads its last entry again.
template <unsigned kAttributes>
WARPNIC_DEVICE void receive_attributes(const ReceiveView& view, const Received& packets,
                                       doca_gpu_dev_eth_rxq_attr* attributes) {
  if (kAttributes == DOCA_GPUNETIO_ETH_RX_ATTR_NONE || attributes == nullptr) return;
  constexpr uint32_t kGroup = 8;
  const uint32_t last = packets.count - 1;
  for (uint32_t begin = 0; begin < packets.count; begin += kGroup) {
    doca_gpu_dev_eth_rxq_attr group[kGroup];
    for (uint32_t i = 0; i < kGroup; ++i) {
      const uint32_t which = begin + i < last ? begin + i : last;
      const Completion& entry = view.completion(packets.first + which);
      if (kAttributes & DOCA_GPUNETIO_ETH_RX_ATTR_BYTES) group[i].bytes = entry.byte_cnt.get();
      if (kAttributes & DOCA_GPUNETIO_ETH_RX_ATTR_TIMESTAMP) {
        group[i].timestamp_ns = entry.timestamp.get();
      }
    }
    for (uint32_t i = 0; i < kGroup && begin + i < packets.count; ++i) {
      doca_gpu_dev_eth_rxq_attr& out = attributes[begin + i];
      if (kAttributes & DOCA_GPUNETIO_ETH_RX_ATTR_BYTES) out.bytes = group[i].bytes;
      if (kAttributes & DOCA_GPUNETIO_ETH_RX_ATTR_TIMESTAMP) {
        out.timestamp_ns = group[i].timestamp_ns;
      }
    }
  }
}

/// Lets the NIC write again what the hold-back does not keep. Receivers of one queue do this in
/// the order of their packets, so that the doorbell only grows.
WARPNIC_DEVICE void receive_return(const ReceiveView& view, const Received& packets) {
  ReceiveHandle& queue = view.queue;
  while (observe<Point::kReceiveTurn, Scope::kDevice>(&queue.released) != packets.first) relax();
  const uint64_t next = packets.first + packets.count;
  const uint64_t limit = next + view.slots() - view.hold_back;
  publish<Point::kReceiveDoorbell, Scope::kSystem>(
      &queue.doorbell->receive.raw, Big<uint32_t>::of(doorbell_count(limit)).raw);
  publish<Point::kReceiveTurn, Scope::kDevice>(&queue.released, next);
}

/// Looks once, and claims what is there: moves `packets` over it.
WARPNIC_DEVICE void receive_claim(const ReceiveView& view, uint32_t limit, Received* packets) {
  while (true) {
    packets->first = peek<Scope::kDevice>(&view.queue.consumer);
    const uint32_t count = receive_look(view, packets->first, limit);
    if (count == 0) return;
    uint64_t expected = packets->first;
    if (claim_if<Scope::kDevice>(&view.queue.consumer, &expected, expected + count)) {
      packets->count = count;
      return;
    }
    // Another receiver was faster; look again at once.
  }
}

/// Claims packets, waiting for the first one. There is one call of receive_claim in here, since
/// each is a copy of its code in the user's kernel.
WARPNIC_DEVICE void receive_wait(const ReceiveView& view, uint32_t limit, uint64_t timeout_ns,
                                 Received* packets) {
  ReceiveWatch watch(view.queue, timeout_ns);
  do {
    receive_claim(view, limit, packets);
    if (packets->count != 0) return;
    packets->status = watch.turn();
  } while (packets->status == DOCA_SUCCESS && !watch.is_over());
}

/// One lane receives. `max_packets` 0: no limit but the hold-back.
template <unsigned kAttributes>
WARPNIC_DEVICE Received receive(ReceiveHandle& queue, uint32_t max_packets, uint64_t timeout_ns,
                                doca_gpu_dev_eth_rxq_attr* attributes) {
  Received packets;
  packets.status = receive_enter(queue);
  if (packets.status == DOCA_SUCCESS) {
    const ReceiveView view(queue);
    const uint32_t limit =
        max_packets == 0 || max_packets > view.hold_back ? view.hold_back : max_packets;
    receive_wait(view, limit, timeout_ns, &packets);
    if (packets.count != 0) {
      receive_attributes<kAttributes>(view, packets, attributes);
      receive_return(view, packets);
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
