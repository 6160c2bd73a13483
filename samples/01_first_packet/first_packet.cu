// SPDX-License-Identifier: Apache-2.0
// The shortest complete program: a kernel that runs all the time receives packets, and the host
// prints the first. Nothing but DOCA's names is used, so one file serves every NIC and every GPU.
//
//   WARPNIC_DEVICES='ff:00.0=pcap:samples/captures/demo.pcap' build/cpu/samples/01_first_packet
//
// Read it from main() on: the steps are numbered. Step 5 starts receive_packets(), which stands
// first in this file. Next: tools/flows/kernel.cu does something with every packet.
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_eth_rxq.h"
#include "doca_eth_rxq_gpu_data_path.h"
#include "doca_gpunetio.h"
#include "doca_gpunetio_dev_eth_rxq.cuh"
#include "doca_mmap.h"

constexpr uint32_t kSlots = 256;          // packets that the queue has room for
constexpr uint32_t kSlotBytes = 2048;     // the longest frame that is received
constexpr uint32_t kMaxPackets = 64;      // at most so many come with one receive
constexpr uint64_t kTimeoutNs = 1000000;  // after 1 ms without a packet, look at the exit flag
constexpr unsigned kLanes = 64;
constexpr uint32_t kShownBytes = 64;

// What host and kernel share: host memory, mapped into the GPU.
struct Shared {
  int exit;  // written by the host
  int seen;  // written by the kernel, after all that follows
  uint32_t bytes;
  uint64_t timestamp_ns;
  uint8_t start[kShownBytes];
};

// One block receives together: every lane calls recv with the same pointers, and all of them return
// with the same packets.
__global__ void receive_packets(doca_gpu_eth_rxq* queue, Shared* shared) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMaxPackets];
  bool is_first = true;
  // A flag that somebody else writes is read through VOLATILE, or the compiler reads it once.
  while (DOCA_GPUNETIO_VOLATILE(shared->exit) == 0) {
    const doca_error_t status =
        doca_gpu_dev_eth_rxq_recv<DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                  DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                  DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(queue, kMaxPackets, kTimeoutNs,
                                                                 &first, &count, attributes);
    if (status != DOCA_SUCCESS) break;
    if (count == 0 || !is_first) continue;  // packets that are not used need not be given back
    is_first = false;

    const auto* frame = reinterpret_cast<const uint8_t*>(
        doca_gpu_dev_eth_rxq_get_pkt_addr(queue, first));
    if (threadIdx.x < kShownBytes && threadIdx.x < attributes[0].bytes) {
      shared->start[threadIdx.x] = frame[threadIdx.x];
    }
    __syncthreads();  // all lanes have written
    if (threadIdx.x == 0) {
      shared->bytes = attributes[0].bytes;
      shared->timestamp_ns = attributes[0].timestamp_ns;
      __threadfence_system();  // the host sees all that before it sees this:
      DOCA_GPUNETIO_VOLATILE(shared->seen) = 1;
    }
  }
}

// The library's log says more about a call that fails.
#define CHECK(call)                                                                     \
  do {                                                                                  \
    const int status_ = static_cast<int>(call);                                         \
    if (status_ != 0) {                                                                 \
      std::fprintf(stderr, "line %d: %s failed with %d\n", __LINE__, #call, status_);   \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

static doca_dev* open_first_nic() {
  doca_devinfo** list = nullptr;
  uint32_t count = 0;
  CHECK(doca_devinfo_create_list(&list, &count));
  if (count == 0) {
    std::fprintf(stderr, "there is no NIC; name one, for example "
                         "WARPNIC_DEVICES='ff:00.0=gen:size=64,flows=1'\n");
    std::exit(1);
  }
  doca_dev* nic = nullptr;
  CHECK(doca_dev_open(list[0], &nic));
  CHECK(doca_devinfo_destroy_list(list));
  return nic;
}

static void print(const Shared& packet, const char* gpu) {
  std::printf("a kernel on %s received a frame of %u bytes (time %llu ns):\n", gpu, packet.bytes,
              static_cast<unsigned long long>(packet.timestamp_ns));
  for (uint32_t i = 0; i < kShownBytes && i < packet.bytes; ++i) {
    std::printf("%02x%c", packet.start[i], i % 16 == 15 ? '\n' : ' ');
  }
  std::printf("\n");
}

int main() {
  // 1. A NIC, and the GPU by its PCI bus id.
  doca_dev* nic = open_first_nic();
  char bus_id[32];
  cudaDeviceProp properties;
  CHECK(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, 0));
  CHECK(cudaGetDeviceProperties(&properties, 0));
  doca_gpu* gpu = nullptr;
  CHECK(doca_gpu_create(bus_id, &gpu));

  // 2. GPU memory that the NIC may write packets to.
  uint32_t bytes = 0;
  CHECK(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, kSlotBytes, kSlots, 0,
                                              0, 0, &bytes));
  void* packets = nullptr;
  CHECK(doca_gpu_mem_alloc(gpu, bytes, 4096, DOCA_GPU_MEM_TYPE_GPU, &packets, nullptr));
  doca_mmap* map = nullptr;
  CHECK(doca_mmap_create(&map));
  CHECK(doca_mmap_add_dev(map, nic));
  CHECK(doca_mmap_set_memrange(map, packets, bytes));
  CHECK(doca_mmap_start(map));

  // 3. A receive queue over that memory, which kernels on that GPU read.
  doca_eth_rxq* queue = nullptr;
  CHECK(doca_eth_rxq_create(nic, kSlots, kSlotBytes, &queue));
  CHECK(doca_eth_rxq_set_type(queue, DOCA_ETH_RXQ_TYPE_CYCLIC));
  CHECK(doca_eth_rxq_set_pkt_buf(queue, map, 0, bytes));
  doca_ctx* context = doca_eth_rxq_as_doca_ctx(queue);
  CHECK(doca_ctx_set_datapath_on_gpu(context, gpu));

  // 4. Memory for what kernel and host tell each other. It begins as zero.
  void* shared_gpu = nullptr;
  void* shared_cpu = nullptr;
  CHECK(doca_gpu_mem_alloc(gpu, sizeof(Shared), 4096, DOCA_GPU_MEM_TYPE_CPU_GPU, &shared_gpu,
                           &shared_cpu));
  auto* shared = static_cast<Shared*>(shared_cpu);

  // 5. From the start on, packets arrive. The handle is the queue as a kernel knows it.
  CHECK(doca_ctx_start(context));
  doca_gpu_eth_rxq* handle = nullptr;
  CHECK(doca_eth_rxq_get_gpu_handle(queue, &handle));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  receive_packets<<<1, kLanes, 0, stream>>>(handle, static_cast<Shared*>(shared_gpu));
  CHECK(cudaGetLastError());

  // 6. The kernel runs by itself. If it ends before it has seen a packet, the queue has a fault.
  while (DOCA_GPUNETIO_VOLATILE(shared->seen) == 0) {
    if (cudaStreamQuery(stream) != cudaErrorNotReady &&
        DOCA_GPUNETIO_VOLATILE(shared->seen) == 0) {
      std::fprintf(stderr, "the kernel ended without a packet\n");
      return 1;
    }
    usleep(1000);
  }
  print(*shared, properties.name);

  // 7. First the kernel ends, then the queue stops, then everything goes in the opposite order.
  DOCA_GPUNETIO_VOLATILE(shared->exit) = 1;
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
  CHECK(doca_ctx_stop(context));
  CHECK(doca_eth_rxq_destroy(queue));
  CHECK(doca_mmap_destroy(map));
  CHECK(doca_gpu_mem_free(gpu, shared_gpu));
  CHECK(doca_gpu_mem_free(gpu, packets));
  CHECK(doca_gpu_destroy(gpu));
  CHECK(doca_dev_close(nic));
  return 0;
}
