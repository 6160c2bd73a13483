// SPDX-License-Identifier: Apache-2.0
// The receive path on a real GPU, by hand (CI has none): the virtual NIC's engine as a kernel of 32
// lanes pulls frames from pinned host memory into receive queues in GPU memory, and the persistent
// kernels of `warpnic flows` receive them with the device API, in all three scopes. Checks that
// every frame was received once and that every flow's frames and bytes are exact. Every kernel and
// every loop has a deadline.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -Iinclude -Isrc -Itools tests/gpu/flows_on_gpu.cu
//        tools/flows/kernel.cu -o flows_on_gpu && ./flows_on_gpu
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "flows/kernel.h"
#include "nic/virtual/engine/receive.h"
#include "nic/virtual/engine/setup.h"

using namespace warpnic;
using Clock = std::chrono::steady_clock;

#define CHECK_CUDA(call)                                                              \
  do {                                                                                \
    const cudaError_t error_ = (call);                                                \
    if (error_ != cudaSuccess) {                                                      \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_));                     \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (0)

namespace {

constexpr uint32_t kSlotsLog2 = 12;
constexpr uint32_t kSlotBytes = 2048;
constexpr uint32_t kRing = 4096;
constexpr uint32_t kFlows = 64;
constexpr uint32_t kTemplates = 256;
constexpr uint32_t kTableFlows = 1024;
constexpr uint64_t kDeadlineNs = 20ull * 1000000000;

/// The engine until `frames` are moved or the time is over.
__global__ void run_engine(engine::Engine* engine, uint64_t frames) {
  const WarpLanes lanes;
  const uint64_t deadline = now_ns() + kDeadlineNs;
  uint64_t moved = 0;
  while (moved < frames) {
    const uint32_t step = engine::step(*engine, lanes);
    moved += step;
    if (step == 0 && lanes.any(now_ns() > deadline)) break;
  }
  // Alive until all was received: receivers watch the heartbeat. The host ends this by the table.
  while (!lanes.any(engine->steering->running == 0 || now_ns() > deadline)) {
    engine::step(*engine, lanes);
  }
}

template <class T>
T* on_gpu(size_t count) {
  void* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, count * sizeof(T)));
  CHECK_CUDA(cudaMemset(memory, 0, count * sizeof(T)));
  return static_cast<T*>(memory);
}
template <class T>
T* pinned(size_t count) {
  void* memory = nullptr;
  CHECK_CUDA(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocDefault));
  std::memset(memory, 0, count * sizeof(T));
  return static_cast<T*>(memory);
}

struct Queue {
  ReceiveDescriptor* descriptors = on_gpu<ReceiveDescriptor>(1u << kSlotsLog2);
  Completion* completions = on_gpu<Completion>(1u << kSlotsLog2);
  DoorbellRecord* doorbell = on_gpu<DoorbellRecord>(1);
  ReceiveHandle* handle = on_gpu<ReceiveHandle>(1);
  uint8_t* packets = on_gpu<uint8_t>(size_t{kSlotBytes} << kSlotsLog2);
  flows::Entry* entries = on_gpu<flows::Entry>(kTableFlows);
  uint64_t* first_ns = on_gpu<uint64_t>(kTableFlows);
  flows::Totals* totals = on_gpu<flows::Totals>(1);
  cudaStream_t stream = nullptr;

  Queue() { CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Queue() {
    for (void* memory : {static_cast<void*>(descriptors), static_cast<void*>(completions),
                         static_cast<void*>(doorbell), static_cast<void*>(handle),
                         static_cast<void*>(packets), static_cast<void*>(entries),
                         static_cast<void*>(first_ns), static_cast<void*>(totals)}) {
      cudaFree(memory);
    }
    cudaStreamDestroy(stream);
  }

  /// As src/eth lays a queue out; `key` names the packet memory, `heartbeat` lies on the GPU.
  void lay_out(uint32_t key, const uint64_t* heartbeat) {
    const uint32_t slots = 1u << kSlotsLog2;
    const uint32_t hold_back = slots / 4;
    std::vector<ReceiveDescriptor> wqes(slots);
    std::vector<Completion> cqes(slots);
    for (uint32_t i = 0; i < slots; ++i) {
      wqes[i] = make_receive_descriptor(
          reinterpret_cast<uint64_t>(packets) + uint64_t{i} * kSlotBytes, kSlotBytes, key);
      cqes[i].tail.fields.op_own = kCqeInvalid << 4;
    }
    DoorbellRecord record{};
    record.receive = Big<uint32_t>::of(doorbell_count(slots - hold_back));
    ReceiveHandle handle_now{};
    handle_now.size = sizeof handle_now;
    handle_now.version = kReceiveHandleVersion;
    handle_now.packets = reinterpret_cast<uint64_t>(packets);
    handle_now.completions = completions;
    handle_now.doorbell = doorbell;
    handle_now.heartbeat = heartbeat;
    handle_now.stride_bytes = kSlotBytes;
    handle_now.slots_log2 = kSlotsLog2;
    handle_now.hold_back = hold_back;
    handle_now.mkey_be = swap_bytes(key);
    CHECK_CUDA(cudaMemcpy(descriptors, wqes.data(), slots * sizeof wqes[0], cudaMemcpyDefault));
    CHECK_CUDA(cudaMemcpy(completions, cqes.data(), slots * sizeof cqes[0], cudaMemcpyDefault));
    CHECK_CUDA(cudaMemcpy(doorbell, &record, sizeof record, cudaMemcpyDefault));
    CHECK_CUDA(cudaMemcpy(handle, &handle_now, sizeof handle_now, cudaMemcpyDefault));
  }
};

/// UDP over IPv4; flow `flow`.
void make_frame(uint8_t* frame, uint32_t flow, uint32_t bytes) {
  std::memset(frame, 0, bytes);
  frame[12] = 8;
  frame[14] = 0x45;
  frame[16] = static_cast<uint8_t>((bytes - 14) >> 8);
  frame[17] = static_cast<uint8_t>(bytes - 14);
  frame[22] = 64;
  frame[23] = 17;
  frame[26] = 10;
  frame[29] = static_cast<uint8_t>(flow);
  frame[30] = 10;
  frame[33] = 1;
  frame[34] = static_cast<uint8_t>(4 + flow);
  frame[36] = 0;
  frame[37] = 53;
}

/// Frames in pinned memory and the RX ring before them.
struct Wire {
  static constexpr uint32_t kRoom = 1536 + 64;
  uint32_t* words = pinned<uint32_t>(64);  // producer, and the consumer a line behind
  WireDescriptor* ring = pinned<WireDescriptor>(kRing);
  uint8_t* area = pinned<uint8_t>(size_t{kTemplates} * kRoom);
  uint32_t bytes;

  explicit Wire(uint32_t frame_bytes) : bytes(frame_bytes) {
    for (uint32_t i = 0; i < kTemplates; ++i) make_frame(area + i * kRoom, i % kFlows, bytes);
  }
  ~Wire() {
    cudaFreeHost(words);
    cudaFreeHost(ring);
    cudaFreeHost(area);
  }
  WirePort port() const {
    WirePort port{};
    port.rx = {words, words + 32, ring, kRing - 1};
    port.area = area;
    port.area_bytes = size_t{kTemplates} * kRoom;
    return port;
  }
  /// Puts `frames` frames on the ring as it empties. False: deadline.
  bool pump(uint64_t frames) {
    const auto deadline = Clock::now() + std::chrono::nanoseconds(kDeadlineNs);
    uint32_t producer = 0;
    for (uint64_t sent = 0; sent < frames;) {
      const uint32_t consumer = observe<Point::kWireRxConsumer>(words + 32);
      const uint32_t room = kRing - (producer - consumer);
      for (uint32_t i = 0; i < room && sent < frames; ++i, ++sent, ++producer) {
        ring[producer & (kRing - 1)] = {uint64_t{kRoom} * (sent % kTemplates), bytes, 0};
      }
      publish<Point::kWireRxProducer>(words, producer);
      if (Clock::now() > deadline) return false;
    }
    return true;
  }
};

uint64_t read_consumer(const Queue& queue, cudaStream_t stream) {
  uint64_t consumer = 0;
  CHECK_CUDA(cudaMemcpyAsync(&consumer, &queue.handle->consumer, sizeof consumer,
                             cudaMemcpyDefault, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return consumer;
}

/// Whether tables and totals of all queues say what was sent.
bool is_exact(const std::vector<std::unique_ptr<Queue>>& queues, uint64_t frames, uint32_t bytes) {
  std::map<uint16_t, std::pair<uint64_t, uint64_t>> found;
  uint64_t received = 0, received_bytes = 0, other = 0;
  const auto totals = std::make_unique<flows::Totals>();
  std::vector<flows::Entry> entries(kTableFlows);
  for (const auto& queue : queues) {
    CHECK_CUDA(cudaMemcpy(totals.get(), queue->totals, sizeof *totals, cudaMemcpyDefault));
    CHECK_CUDA(cudaMemcpy(entries.data(), queue->entries, kTableFlows * sizeof entries[0],
                          cudaMemcpyDefault));
    received += totals->frames;
    received_bytes += totals->bytes;
    other += totals->malformed + totals->untracked_frames + totals->non_ip[0x0806];
    for (const flows::Entry& entry : entries) {
      if (entry.last == flows::kEmpty) continue;
      flows::Key key{};
      key.last = entry.last;
      auto& sums = found[key.source_port()];
      sums.first += entry.frames;
      sums.second += entry.bytes;
    }
  }
  bool exact = received == frames && received_bytes == frames * bytes && other == 0 &&
               found.size() == kFlows;
  for (uint32_t flow = 0; flow < kFlows; ++flow) {
    uint64_t expected = frames / kTemplates * (kTemplates / kFlows);
    for (uint64_t rest = 0; rest < frames % kTemplates; ++rest) expected += rest % kFlows == flow;
    const auto sums = found[static_cast<uint16_t>((4 + flow) << 8)];
    exact = exact && sums.first == expected && sums.second == expected * bytes;
  }
  if (!exact) {
    std::printf("WRONG: received %llu of %llu frames, %zu of %u flows, %llu others\n",
                static_cast<unsigned long long>(received), static_cast<unsigned long long>(frames),
                found.size(), kFlows, static_cast<unsigned long long>(other));
  }
  return exact;
}

bool run(flows::ExecScope scope, const char* name, unsigned queue_count, uint32_t bytes,
         uint64_t frames) {
  Wire wire(bytes);
  auto* on_device = on_gpu<engine::Engine>(1);
  auto setup = std::make_unique<engine::Engine>();
  std::memset(static_cast<void*>(setup.get()), 0, sizeof *setup);
  engine::init(*setup, wire.port(), true);
  std::vector<std::unique_ptr<Queue>> queues;
  std::vector<uint8_t> positions;
  for (unsigned i = 0; i < queue_count; ++i) {
    queues.push_back(std::make_unique<Queue>());
    Queue& queue = *queues.back();
    const uint32_t key = 1u << 16 | i << 8;
    setup->regions[i] = {reinterpret_cast<uint64_t>(queue.packets),
                         uint64_t{kSlotBytes} << kSlotsLog2, key};
    queue.lay_out(key, &on_device->control.heartbeat);
    engine::Queue& entry = setup->queues[i];
    entry.descriptors = queue.descriptors;
    entry.completions = queue.completions;
    entry.doorbell = queue.doorbell;
    entry.slots_log2 = kSlotsLog2;
    entry.max_packet_bytes = kSlotBytes;
    positions.push_back(static_cast<uint8_t>(i));
  }
  engine::request_steering(*setup, positions);
  setup->steering = &on_device->control.tables[0];
  CHECK_CUDA(cudaMemcpy(on_device, setup.get(), sizeof *setup, cudaMemcpyDefault));

  int* exit_flag = pinned<int>(1);
  cudaStream_t engine_stream, copy_stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&engine_stream, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&copy_stream, cudaStreamNonBlocking));
  for (const auto& queue : queues) {
    const flows::Table table{queue->entries, queue->first_ns, kTableFlows - 1, queue->totals};
    CHECK_CUDA(flows::start_kernel(
        scope, {reinterpret_cast<doca_gpu_eth_rxq*>(queue->handle), table, exit_flag, 0},
        queue->stream));
  }
  const auto start = Clock::now();
  run_engine<<<1, 32, 0, engine_stream>>>(on_device, frames);
  CHECK_CUDA(cudaGetLastError());
  bool good = wire.pump(frames);
  uint64_t received = 0;
  while (received < frames && Clock::now() - start < std::chrono::nanoseconds(kDeadlineNs)) {
    received = 0;
    for (const auto& queue : queues) received += read_consumer(*queue, copy_stream);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  good = good && received == frames;
  *static_cast<volatile int*>(exit_flag) = 1;
  for (const auto& queue : queues) CHECK_CUDA(cudaStreamSynchronize(queue->stream));
  // Ends the engine: a table without queues, by number 2.
  const uint32_t none = 0;
  const uint64_t request = 2;
  CHECK_CUDA(cudaMemcpyAsync(&on_device->control.tables[0].running, &none, sizeof none,
                             cudaMemcpyDefault, copy_stream));
  CHECK_CUDA(cudaMemcpyAsync(&on_device->control.request, &request, sizeof request,
                             cudaMemcpyDefault, copy_stream));
  CHECK_CUDA(cudaStreamSynchronize(copy_stream));
  CHECK_CUDA(cudaStreamSynchronize(engine_stream));
  good = is_exact(queues, frames, bytes) && good;
  std::printf("%-6s scope, %u queue(s), %4u B frames: %s, %.2f million frames/s, %.2f GB/s\n", name,
              queue_count, bytes, good ? "exact" : "WRONG",
              static_cast<double>(frames) / seconds * 1e-6,
              static_cast<double>(frames) * bytes / seconds * 1e-9);
  std::fflush(stdout);
  queues.clear();
  cudaFree(on_device);
  cudaFreeHost(exit_flag);
  cudaStreamDestroy(engine_stream);
  cudaStreamDestroy(copy_stream);
  return good;
}

}  // namespace

int main() {
  // A module that loads while a persistent kernel spins would wait for it for ever.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s, %d SMs\n", properties.name, properties.multiProcessorCount);
  bool good = true;
  for (uint32_t bytes : {64u, 1514u}) {
    for (unsigned queues : {1u, 4u}) {
      const uint64_t frames = bytes == 64 ? 1000000 : 300000;
      good &= run(flows::ExecScope::kThread, "thread", queues, bytes, frames);
      good &= run(flows::ExecScope::kWarp, "warp", queues, bytes, frames);
      good &= run(flows::ExecScope::kBlock, "block", queues, bytes, frames);
    }
  }
  std::printf("%s\n", good ? "all exact" : "FAILED");
  return good ? 0 : 1;
}
