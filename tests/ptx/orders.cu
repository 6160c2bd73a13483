// SPDX-License-Identifier: Apache-2.0
// What the hand-overs of docs/ordering.md become on a GPU. Each kernel calls the real function; the
// text that nvcc makes of it must hold the order and the scope of its row. run.py also checks that
// a weakened publish, a narrower scope or a missing fence is found.
#include <cuda_runtime.h>

#include "doca_gpunetio_dev_eth_rxq.cuh"
#include "nic/virtual/engine/receive.h"

using namespace warpnic;

// ROW kCompletionOwner, writer: engine. All of the completion, then the tail as one word.
// CHECK-LABEL: .entry completion_owner_publish(
// CHECK: st.{{.*}}
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u64
// CHECK: ret;
extern "C" __global__ void completion_owner_publish(engine::Queue* queue,
                                                    engine::BatchEntry* entry) {
  engine::complete(*queue, *entry);
}

// ROW kCompletionOwner, reader: recv. Loads in flight, and one fence that makes acquires of them.
// CHECK-LABEL: .entry completion_owner_observe(
// CHECK: ld.relaxed.sys.u64
// CHECK: fence.acq_rel.sys;
// CHECK: ret;
extern "C" __global__ void completion_owner_observe(ReceiveHandle* queue, uint32_t* out) {
  const auto run = observe_run<Point::kCompletionOwner, Scope::kSystem>(
      1, [&](uint32_t) { return &queue->completions[7].tail.word; },
      [](uint32_t, uint64_t word) { return is_packet(word); });
  *out = run.count;
}

// ROW kCompletionOwner, reader of an error; ROW fault, written once.
// CHECK-LABEL: .entry error_observe(
// CHECK: ld.acquire.sys.u64
// CHECK: ld.relaxed.gpu.u64
// CHECK: atom.acq_rel.sys.cas.b32
// CHECK: ret;
extern "C" __global__ void error_observe(ReceiveHandle* queue) {
  receive_error(ReceiveView(*queue), 7);
}

// ROW consumer: after the look, all or nothing.
// CHECK-LABEL: .entry consumer_claim(
// CHECK: ld.relaxed.gpu.u64
// CHECK: fence.acq_rel.sys;
// CHECK: atom.acq_rel.gpu.cas.b64
// CHECK: ret;
extern "C" __global__ void consumer_claim(ReceiveHandle* queue, Received* out) {
  Received packets;
  receive_claim(ReceiveView(*queue), 1, &packets);
  *out = packets;
}

// ROWS kReceiveTurn and kReceiveDoorbell, writer: recv. First its turn, then the doorbell for the
// NIC, then the next receiver's turn.
// CHECK-LABEL: .entry receive_return_in_turn(
// CHECK: ld.acquire.gpu.u64
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u32
// CHECK: fence.acq_rel.gpu;
// CHECK: st.relaxed.gpu.u64
// CHECK: ret;
extern "C" __global__ void receive_return_in_turn(ReceiveHandle* queue, uint64_t first,
                                                  uint32_t count) {
  Received packets;
  packets.first = first;
  packets.count = count;
  receive_return(ReceiveView(*queue), packets);
}

// ROW kReceiveDoorbell, reader: engine.
// CHECK-LABEL: .entry receive_doorbell_observe(
// CHECK: ld.acquire.sys.u32
// CHECK: ret;
extern "C" __global__ void receive_doorbell_observe(engine::Queue* queue, bool* out) {
  *out = engine::has_slot(*queue);
}

// ROWS closed and fault, ROW kQueueInside: look at the fault; mark, full fence, look whether it is
// closed; and the mark goes behind all that was read of the queue.
// CHECK-LABEL: .entry enter_and_leave(
// CHECK: ld.relaxed.sys.u32
// CHECK: atom.relaxed.sys.add.u32
// CHECK: fence.sc.sys;
// CHECK: ld.acquire.sys.u32
// CHECK: fence.acq_rel.sys;
// CHECK: atom.relaxed.sys.add.u32
// CHECK: ret;
extern "C" __global__ void enter_and_leave(ReceiveHandle* queue, int* out) {
  *out = receive_enter(*queue);
  receive_leave(*queue);
}

// ROWS closed and fault, and ROW heartbeat, in the waiting loop: own values.
// CHECK-LABEL: .entry wait_for_packet(
// CHECK: ld.relaxed.sys.u32
// CHECK: ld.relaxed.sys.u32
// CHECK: ld.relaxed.sys.u64
// CHECK: ld.relaxed.sys.u32
// CHECK: ld.relaxed.sys.u32
// CHECK: ld.relaxed.sys.u64
// CHECK: ret;
extern "C" __global__ void wait_for_packet(ReceiveHandle* queue, int* out) {
  ReceiveWatch watch(*queue, 1);
  *out = watch.turn();
  *out += watch.turn();
}

// ROW kWireRxProducer, reader: engine; kWireFillConsumer, reader: engine.
// CHECK-LABEL: .entry wire_words_observe(
// CHECK: ld.acquire.sys.u32
// CHECK: ld.acquire.sys.u32
// CHECK: ret;
extern "C" __global__ void wire_words_observe(WirePort* port, uint32_t* out) {
  *out = engine::wire_frames(*port);
}

// ROWS kWireFillProducer and kWireRxConsumer, writer: engine.
// CHECK-LABEL: .entry wire_words_publish(
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u32
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u32
// CHECK: ret;
extern "C" __global__ void wire_words_publish(engine::Engine* engine, uint32_t taken) {
  engine::wire_give_back(*engine, taken);
}

// ROWS kQueueState, reader: engine; kEngineSeen, writer: engine.
// CHECK-LABEL: .entry steering_adopt(
// CHECK: ld.acquire.sys.u64
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u64
// CHECK: ret;
extern "C" __global__ void steering_adopt(engine::Engine* engine) {
  engine::adopt_steering(*engine);
}

// The links' half, were it on a GPU: publish of a 32-bit word with nothing around it.
// CHECK-LABEL: .entry wire_rx_producer_publish(
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u32
// CHECK: ret;
extern "C" __global__ void wire_rx_producer_publish(uint32_t* word) {
  publish<Point::kWireRxProducer>(word, 1u);
}
// CHECK-LABEL: .entry wire_fill_consumer_publish(
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u32
// CHECK: ret;
extern "C" __global__ void wire_fill_consumer_publish(uint32_t* word) {
  publish<Point::kWireFillConsumer>(word, 1u);
}
// CHECK-LABEL: .entry queue_state_publish(
// CHECK: fence.acq_rel.sys;
// CHECK: st.relaxed.sys.u64
// CHECK: ret;
extern "C" __global__ void queue_state_publish(uint64_t* word) {
  publish<Point::kQueueState>(word, uint64_t{1});
}
