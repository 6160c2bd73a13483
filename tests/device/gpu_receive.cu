// SPDX-License-Identifier: Apache-2.0
// doca_gpu_dev_eth_rxq_recv on a GPU, by hand where CI has none: a kernel that stands in for the
// NIC writes packets and completions into a queue in GPU memory and obeys the doorbell; beside it,
// in another stream, kernels receive in all scopes. Checks that every packet comes once, whole
// and in order, also with threads that exited and with several blocks on one queue; that a closed
// queue, a fault and a silent NIC end the wait. Prints frames/s. Every loop has a deadline.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 -Iinclude tests/device/gpu_receive.cu -o /tmp/gpu_receive &&
//     /tmp/gpu_receive [PACKETS]
//
// About 20 s with the default of 4,000,000 packets a run. Exit status: 0 if all is right.
// On the CPU executor the same program is the test device.gpu_program.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "doca_gpunetio_dev_eth_rxq.cuh"
#include "warpnic/format/handle.h"
#include "warpnic/port/order.h"
#include "warpnic/port/wait.h"

using namespace warpnic;

#define CHECK_CUDA(call)                                                          \
  do {                                                                            \
    const cudaError_t error_ = (call);                                            \
    if (error_ != cudaSuccess) {                                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_));                 \
      std::exit(1);                                                               \
    }                                                                             \
  } while (0)

namespace {

constexpr auto kThread = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD;
constexpr auto kWarp = DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP;
constexpr auto kBlock = DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK;
constexpr uint32_t kStride = 64;
constexpr uint32_t kMostPackets = 2048;  // of one call
constexpr uint32_t kNicThreads = 256;
constexpr uint64_t kTimeoutNs = 1000 * 1000;
constexpr uint64_t kDeadlineNs = 30ull * 1000 * 1000 * 1000;

__host__ __device__ uint32_t packet_bytes(uint64_t index) { return 60 + uint32_t(index % 5); }

/// What kernels found.
struct Found {
  unsigned long long packets;
  unsigned long long errors;
  unsigned long long calls;  ///< that brought a packet
  unsigned long long begin_ns, end_ns;
  int status;  ///< of the last call
};

/// The queue as its NIC knows it. All of it lies in GPU memory.
struct Queue {
  ReceiveHandle* handle;
  uint64_t* packets;
  Completion* completions;
  DoorbellRecord* doorbell;
  uint64_t* heartbeat;
  uint32_t slots_log2;
  uint32_t hold_back;
};

__device__ void write_packet(const Queue& queue, uint64_t index, CqeOpcode opcode) {
  const uint64_t position = index & ((uint64_t{1} << queue.slots_log2) - 1);
  uint64_t* slot = queue.packets + position * (kStride / 8);
  for (uint32_t word = 0; word < kStride / 8; ++word) slot[word] = index * 1000 + word;
  Completion& entry = queue.completions[position];
  entry.byte_cnt = Big<uint32_t>::of(packet_bytes(index));
  entry.timestamp = Big<uint64_t>::of(opcode == kCqeResponseError ? kSyndromeFlushed : index);
  const CompletionTail tail = make_completion_tail(opcode, index, queue.slots_log2, 0);
  publish<Point::kCompletionOwner, Scope::kSystem>(&entry.tail.word, tail.word);
}

/// The NIC: writes packets up to `end`, as the doorbell allows; then an error, if asked for.
__global__ void stand_in(Queue queue, uint64_t end, bool then_error, Found* found) {
  __shared__ uint64_t limit;
  __shared__ bool late;
  const uint64_t room = (uint64_t{1} << queue.slots_log2) - queue.hold_back;
  const uint64_t deadline = now_ns() + kDeadlineNs;
  if (threadIdx.x == 0) limit = room;
  uint64_t next = 0;
  uint64_t beat = 0;
  while (next < end) {
    if (threadIdx.x == 0) {
      const uint32_t raw =
          observe<Point::kReceiveDoorbell, Scope::kSystem>(&queue.doorbell->receive.raw);
      limit = doorbell_index(limit, Big<uint32_t>{raw}.get());
      if (limit > peek(&queue.handle->consumer) + room) atomicAdd(&found->errors, 1ull);
      note(queue.heartbeat, ++beat);
      late = now_ns() > deadline;
    }
    __syncthreads();
    const uint64_t until = limit < end ? limit : end;
    const bool ends = late;
    __syncthreads();
    if (ends) break;
    const uint64_t count = until - next < blockDim.x ? until - next : blockDim.x;
    if (threadIdx.x < count) write_packet(queue, next + threadIdx.x, kCqeResponseSend);
    next += count;
    if (count == 0) relax();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    if (then_error) write_packet(queue, next, kCqeResponseError);
    if (next != end) atomicAdd(&found->errors, 1ull);
  }
}

__device__ unsigned long long wrongs_of(doca_gpu_eth_rxq* queue, uint64_t index,
                                        const doca_gpu_dev_eth_rxq_attr& attributes) {
  const auto* words =
      reinterpret_cast<const uint64_t*>(doca_gpu_dev_eth_rxq_get_pkt_addr(queue, index));
  unsigned long long wrongs = 0;
  for (uint64_t word = 0; word < kStride / 8; ++word) wrongs += words[word] != index * 1000 + word;
  wrongs += attributes.bytes != packet_bytes(index);
  return wrongs + (attributes.timestamp_ns != index);
}

template <doca_gpu_dev_eth_exec_scope kScope>
__device__ doca_error_t receive_all(doca_gpu_eth_rxq* queue, uint32_t max, uint64_t timeout,
                                    uint64_t* first, uint32_t* count,
                                    doca_gpu_dev_eth_rxq_attr* attributes) {
  return doca_gpu_dev_eth_rxq_recv<kScope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                   DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                   DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(queue, max, timeout, first,
                                                                  count, attributes);
}

/// The only receiver, one block. `leaving`: all threads but the last exit, one a call from call
/// number 2 on, so that leaders, half warps and whole warps go; the last then checks alone.
template <doca_gpu_dev_eth_exec_scope kScope>
__global__ void receive_in_order(doca_gpu_eth_rxq* queue, uint64_t end, uint32_t max, bool leaving,
                                 Found* found) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ int status;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  const bool is_last = threadIdx.x == blockDim.x - 1;
  const uint64_t deadline = now_ns() + kDeadlineNs;
  uint64_t next = 0;
  unsigned long long errors = 0, calls = 0;
  for (uint64_t call = 0; next < end; ++call) {
    if (leaving && !is_last && call >= 2 + threadIdx.x) break;
    int mine;
    if (kScope == kThread) {
      __syncthreads();
      if (threadIdx.x == 0) {
        status = receive_all<kScope>(queue, max, kTimeoutNs, &first, &count, attributes);
      }
      __syncthreads();
      mine = status;
    } else {
      mine = receive_all<kScope>(queue, max, kTimeoutNs, &first, &count, attributes);
    }
    const uint64_t begin = first;
    const uint32_t packets = count;
    if (mine != DOCA_SUCCESS || begin != next) {
      ++errors;
      break;
    }
    if (packets == 0) {
      // With THREAD scope, all go together: the barriers around the call are the user's.
      const bool late = now_ns() > deadline;
      if (kScope == kThread ? __syncthreads_or(late) : late) break;
      continue;
    }
    if (calls++ == 0 && is_last) found->begin_ns = now_ns();
    if (leaving) {
      for (uint32_t i = 0; is_last && i < packets; ++i) {
        errors += wrongs_of(queue, begin + i, attributes[i]);
      }
    } else {
      for (uint32_t i = threadIdx.x; i < packets; i += blockDim.x) {
        errors += wrongs_of(queue, begin + i, attributes[i]);
      }
    }
    next = begin + packets;
  }
  if (errors != 0) atomicAdd(&found->errors, errors);
  if (is_last) {
    found->end_ns = now_ns();
    found->packets = next;
    found->calls = calls;
  }
}

/// One of several blocks on the queue. Payload may be overwritten once the others have received as
/// many packets as are held back, so only attributes are looked at.
template <doca_gpu_dev_eth_exec_scope kScope>
__global__ void receive_shared(doca_gpu_eth_rxq* queue, uint64_t end, uint32_t max,
                               unsigned int* seen, unsigned long long* taken, Found* found) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ bool done;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  const uint64_t deadline = now_ns() + kDeadlineNs;
  if (threadIdx.x == 0 && blockIdx.x == 0) found->begin_ns = now_ns();
  while (true) {
    doca_error_t status = DOCA_SUCCESS;
    if (kScope != kThread || threadIdx.x == 0) {
      status = receive_all<kScope>(queue, max, kTimeoutNs, &first, &count, attributes);
    }
    __syncthreads();
    if (status != DOCA_SUCCESS) atomicAdd(&found->errors, 1ull);
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      if (first + i < end) atomicAdd(&seen[first + i], 1u);
      const bool right = first + i < end && attributes[i].bytes == packet_bytes(first + i) &&
                         attributes[i].timestamp_ns == first + i;
      if (!right) atomicAdd(&found->errors, 1ull);
    }
    if (threadIdx.x == 0) {
      if (count != 0) atomicAdd(&found->calls, 1ull);
      done = atomicAdd(taken, static_cast<unsigned long long>(count)) + count >= end ||
             now_ns() > deadline;
    }
    const bool failed = __syncthreads_or(status != DOCA_SUCCESS);
    if (done || failed) break;
    __syncthreads();  // `done` and the outputs have been read
  }
  if (threadIdx.x == 0) atomicMax(&found->end_ns, static_cast<unsigned long long>(now_ns()));
}

/// One call that waits as long as it takes.
template <doca_gpu_dev_eth_exec_scope kScope>
__global__ void receive_once(doca_gpu_eth_rxq* queue, Found* found) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  const doca_error_t status =
      doca_gpu_dev_eth_rxq_recv<kScope>(queue, 0, kDeadlineNs, &first, &count, nullptr);
  if (threadIdx.x == blockDim.x - 1) {
    found->status = status;
    found->packets = count;
  }
}

/// The host's hands in GPU memory while kernels run there.
__global__ void load_word(const uint32_t* word, uint32_t* out) { *out = load_and_fence(word); }
__global__ void store_word(uint32_t* word, uint32_t value) { store_and_fence(word, value); }

template <class T>
T* on_gpu(size_t count, int fill = 0) {
  void* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, count * sizeof(T)));
  CHECK_CUDA(cudaMemset(memory, fill, count * sizeof(T)));
  return static_cast<T*>(memory);
}
template <class T>
T read_back(const T* from, cudaStream_t stream) {
  T value;
  CHECK_CUDA(cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDefault, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return value;
}

/// A queue, its NIC's stream, its receivers' stream, and one for the host's copies.
struct Bench {
  Queue queue{};
  Found* found = on_gpu<Found>(1);
  Found* nic_found = on_gpu<Found>(1);
  uint32_t* word = on_gpu<uint32_t>(1);
  cudaStream_t nic, receivers, host;

  Bench(uint32_t slots_log2, uint32_t hold_back) {
    const uint32_t slots = 1u << slots_log2;
    for (cudaStream_t* stream : {&nic, &receivers, &host}) {
      CHECK_CUDA(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
    }
    queue.handle = on_gpu<ReceiveHandle>(1);
    queue.packets = on_gpu<uint64_t>(size_t{slots} * kStride / 8);
    queue.completions = on_gpu<Completion>(slots, kCqeInvalid << 4);
    queue.doorbell = on_gpu<DoorbellRecord>(1);
    queue.heartbeat = on_gpu<uint64_t>(1);
    queue.slots_log2 = slots_log2;
    queue.hold_back = hold_back;
    DoorbellRecord record{};
    record.receive = Big<uint32_t>::of(doorbell_count(slots - hold_back));
    ReceiveHandle handle{};
    handle.size = sizeof handle;
    handle.version = kReceiveHandleVersion;
    handle.packets = reinterpret_cast<uint64_t>(queue.packets);
    handle.completions = queue.completions;
    handle.doorbell = queue.doorbell;
    handle.heartbeat = queue.heartbeat;
    handle.stride_bytes = kStride;
    handle.slots_log2 = slots_log2;
    handle.hold_back = hold_back;
    CHECK_CUDA(cudaMemcpy(queue.doorbell, &record, sizeof record, cudaMemcpyDefault));
    CHECK_CUDA(cudaMemcpy(queue.handle, &handle, sizeof handle, cudaMemcpyDefault));
  }
  ~Bench() {
    for (cudaStream_t stream : {nic, receivers, host}) cudaStreamDestroy(stream);
    for (void* memory : {static_cast<void*>(queue.handle), static_cast<void*>(queue.packets),
                         static_cast<void*>(queue.completions), static_cast<void*>(queue.doorbell),
                         static_cast<void*>(queue.heartbeat), static_cast<void*>(found),
                         static_cast<void*>(nic_found), static_cast<void*>(word)}) {
      cudaFree(memory);
    }
  }
  Bench(const Bench&) = delete;

  doca_gpu_eth_rxq* rxq() const { return reinterpret_cast<doca_gpu_eth_rxq*>(queue.handle); }
  void start_nic(uint64_t end, bool then_error = false) {
    stand_in<<<1, kNicThreads, 0, nic>>>(queue, end, then_error, nic_found);
    CHECK_CUDA(cudaGetLastError());
  }
  /// Waits for all kernels; what the receivers found, with the NIC's errors.
  Found wait() {
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaStreamSynchronize(receivers));
    CHECK_CUDA(cudaStreamSynchronize(nic));
    Found result = read_back(found, host);
    result.errors += read_back(nic_found, host).errors;
    return result;
  }
  uint32_t inside() {
    load_word<<<1, 1, 0, host>>>(&queue.handle->inside, word);
    CHECK_CUDA(cudaGetLastError());
    return read_back(word, host);
  }
  void close() {
    store_word<<<1, 1, 0, host>>>(&queue.handle->closed, 1);
    CHECK_CUDA(cudaStreamSynchronize(host));
  }
};

const char* name_of(doca_gpu_dev_eth_exec_scope scope) {
  return scope == kThread ? "thread" : scope == kWarp ? "warp" : "block";
}

bool tell(const char* what, const char* scope, const Found& found, uint64_t packets, bool right) {
  const double seconds = static_cast<double>(found.end_ns - found.begin_ns) * 1e-9;
  std::printf("%-28s %-6s: %s, %llu packets", what, scope, right ? "right" : "WRONG",
              found.packets);
  if (packets != 0 && found.calls != 0) {
    std::printf(", %.2f million frames/s, %.1f a call", packets / seconds * 1e-6,
                static_cast<double>(packets) / found.calls);
  }
  if (!right) std::printf(", %llu errors, status %d", found.errors, found.status);
  std::printf("\n");
  return right;
}

template <doca_gpu_dev_eth_exec_scope kScope>
bool in_order(const char* what, uint64_t packets, uint32_t max, bool leaving) {
  Bench bench(12, 1024);
  const unsigned threads = kScope == kWarp ? 32 : 256;
  bench.start_nic(packets);
  receive_in_order<kScope><<<1, threads, 0, bench.receivers>>>(bench.rxq(), packets, max, leaving,
                                                               bench.found);
  const Found found = bench.wait();
  const bool right = found.errors == 0 && found.packets == packets && bench.inside() == 0;
  return tell(what, name_of(kScope), found, packets, right);
}

template <doca_gpu_dev_eth_exec_scope kScope>
bool shared(uint64_t packets, unsigned blocks, uint32_t max) {
  Bench bench(12, 1024);
  unsigned int* seen = on_gpu<unsigned int>(packets);
  unsigned long long* taken = on_gpu<unsigned long long>(1);
  bench.start_nic(packets);
  receive_shared<kScope><<<blocks, kScope == kWarp ? 32 : 128, 0, bench.receivers>>>(
      bench.rxq(), packets, max, seen, taken, bench.found);
  Found found = bench.wait();
  std::vector<unsigned int> counts(packets);
  CHECK_CUDA(cudaMemcpy(counts.data(), seen, packets * sizeof counts[0], cudaMemcpyDefault));
  for (const unsigned int count : counts) {
    found.packets += count;
    found.errors += count != 1;
  }
  cudaFree(seen);
  cudaFree(taken);
  const bool right = found.errors == 0 && found.packets == packets && bench.inside() == 0;
  char what[64];
  std::snprintf(what, sizeof what, "%u blocks, at most %u", blocks, max);
  return tell(what, name_of(kScope), found, packets, right);
}

template <doca_gpu_dev_eth_exec_scope kScope>
bool closed() {
  Bench bench(8, 64);
  receive_once<kScope><<<1, kScope == kThread ? 1 : kScope == kWarp ? 32 : 128, 0,
                         bench.receivers>>>(bench.rxq(), bench.found);
  CHECK_CUDA(cudaGetLastError());
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(9);
  while (bench.inside() == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  bench.close();
  while (bench.inside() != 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  const bool left = bench.inside() == 0;
  const Found found = bench.wait();
  const bool right = left && found.status == DOCA_ERROR_BAD_STATE && found.packets == 0;
  return tell("closed while it waits", name_of(kScope), found, 0, right);
}

template <doca_gpu_dev_eth_exec_scope kScope>
bool faulty() {
  Bench bench(8, 64);
  bench.start_nic(0, true);
  receive_once<kScope><<<1, kScope == kThread ? 1 : kScope == kWarp ? 32 : 128, 0,
                         bench.receivers>>>(bench.rxq(), bench.found);
  const Found found = bench.wait();
  const uint32_t fault = read_back(&bench.queue.handle->fault, bench.host);
  const bool right = found.status == DOCA_ERROR_IO_FAILED && found.packets == 0 &&
                     fault == (kFaultSet | kSyndromeFlushed) && bench.inside() == 0;
  return tell("an error completion", name_of(kScope), found, 0, right);
}

bool silent() {
  Bench bench(8, 64);
  const auto begin = std::chrono::steady_clock::now();
  receive_once<kBlock><<<1, 128, 0, bench.receivers>>>(bench.rxq(), bench.found);
  const Found found = bench.wait();
  const bool right = found.status == DOCA_ERROR_TIME_OUT && found.packets == 0 &&
                     std::chrono::steady_clock::now() - begin >= std::chrono::seconds(10);
  return tell("a silent NIC, 10 s", "block", found, 0, right);
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t packets = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 4000000;
  if (packets < 1000) {
    std::printf("usage: gpu_receive [PACKETS, 1000 or more]\n");
    return 2;
  }
  // Kernels that are loaded while others spin would wait for them.
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  bool right = true;
  right &= in_order<kThread>("one packet a call", packets / 8, 1, false);
  right &= in_order<kThread>("at most 64", packets, 64, false);
  right &= in_order<kThread>("no limit", packets, 0, false);
  right &= in_order<kWarp>("at most 64", packets, 64, false);
  right &= in_order<kWarp>("no limit", packets, 0, false);
  right &= in_order<kBlock>("at most 64", packets, 64, false);
  right &= in_order<kBlock>("no limit", packets, 0, false);
  right &= in_order<kWarp>("threads exit", packets / 8, 8, true);
  right &= in_order<kBlock>("threads exit", packets / 8, 2, true);
  right &= shared<kThread>(packets, 8, 64);
  right &= shared<kWarp>(packets, 8, 64);
  right &= shared<kBlock>(packets, 8, 64);
  right &= closed<kThread>();
  right &= closed<kWarp>();
  right &= closed<kBlock>();
  right &= faulty<kThread>();
  right &= faulty<kWarp>();
  right &= faulty<kBlock>();
  right &= silent();
  std::printf("%s\n", right ? "all right" : "WRONG");
  return right ? 0 : 1;
}
