// SPDX-License-Identifier: Apache-2.0
// A program's life with virtual NICs and kernels on the CPU executor, through public headers only.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_eth_rxq.h"
#include "doca_eth_rxq_gpu_data_path.h"
#include "doca_gpunetio.h"
#include "doca_gpunetio_eth_def.h"
#include "doca_mmap.h"
#include "lifecycle_kernel.h"
#include "warpnic/virtual_nic.hpp"

namespace lifecycle {
namespace {

constexpr uint64_t kForEver = ~uint64_t{0};
constexpr uint32_t kBurst = 256;
constexpr uint32_t kPacketBytes = 1514;

/// The limit only ends a test that has failed.
bool wait_for(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

doca_dev* open_nic(const std::string& spec) {
  std::string address, why;
  EXPECT_EQ(warpnic::create_virtual_nic("", spec, &address, &why), DOCA_SUCCESS) << why;
  doca_devinfo** list = nullptr;
  uint32_t count = 0;
  EXPECT_EQ(doca_devinfo_create_list(&list, &count), DOCA_SUCCESS);
  doca_dev* dev = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t equal = 0;
    EXPECT_EQ(doca_devinfo_is_equal_pci_addr(list[i], address.c_str(), &equal), DOCA_SUCCESS);
    if (equal != 0) {
      EXPECT_EQ(doca_dev_open(list[i], &dev), DOCA_SUCCESS);
    }
  }
  EXPECT_EQ(doca_devinfo_destroy_list(list), DOCA_SUCCESS);
  return dev;
}

doca_gpu* open_gpu() {
  char bus_id[32] = "";
  EXPECT_EQ(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, 0), cudaSuccess);
  doca_gpu* gpu = nullptr;
  EXPECT_EQ(doca_gpu_create(bus_id, &gpu), DOCA_SUCCESS);
  return gpu;
}

/// A queue with its packet memory, as a program makes it; the test decides how it ends.
struct Queue {
  Queue(doca_dev* dev, doca_gpu* gpu) {
    uint32_t bytes = 0;
    EXPECT_EQ(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, kPacketBytes,
                                                    kBurst, 0, 0, 0, &bytes),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_gpu_mem_alloc(gpu, bytes, 4096, DOCA_GPU_MEM_TYPE_GPU, &memory, nullptr),
              DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_create(&map), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(map, dev), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_memrange(map, memory, bytes), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
    EXPECT_EQ(doca_eth_rxq_create(dev, kBurst, kPacketBytes, &rxq), DOCA_SUCCESS);
    EXPECT_EQ(doca_eth_rxq_set_type(rxq, DOCA_ETH_RXQ_TYPE_CYCLIC), DOCA_SUCCESS);
    EXPECT_EQ(doca_eth_rxq_set_pkt_buf(rxq, map, 0, bytes), DOCA_SUCCESS);
    EXPECT_EQ(doca_ctx_set_datapath_on_gpu(ctx(), gpu), DOCA_SUCCESS);
  }
  doca_ctx* ctx() const { return doca_eth_rxq_as_doca_ctx(rxq); }
  doca_gpu_eth_rxq* start() {
    doca_gpu_eth_rxq* handle = nullptr;
    EXPECT_EQ(doca_ctx_start(ctx()), DOCA_SUCCESS);
    EXPECT_EQ(doca_eth_rxq_get_gpu_handle(rxq, &handle), DOCA_SUCCESS);
    return handle;
  }
  void destroy(doca_gpu* gpu) {
    EXPECT_EQ(doca_eth_rxq_destroy(rxq), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_destroy(map), DOCA_SUCCESS);
    EXPECT_EQ(doca_gpu_mem_free(gpu, memory), DOCA_SUCCESS);
  }
  doca_mmap* map = nullptr;
  doca_eth_rxq* rxq = nullptr;
  void* memory = nullptr;
};

/// A stream with what its kernel shares with the host.
class Kernel {
 public:
  explicit Kernel(doca_gpu* gpu) : gpu_(gpu) {
    void* of_gpu = nullptr;
    void* of_cpu = nullptr;
    EXPECT_EQ(doca_gpu_mem_alloc(gpu, sizeof(Shared), 64, DOCA_GPU_MEM_TYPE_GPU_CPU, &of_gpu,
                                 &of_cpu),
              DOCA_SUCCESS);
    shared_of_gpu = static_cast<Shared*>(of_gpu);
    shared_ = static_cast<Shared*>(of_cpu);
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  }
  ~Kernel() {
    DOCA_GPUNETIO_VOLATILE(shared_->exit_flag) = 1;
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    EXPECT_EQ(doca_gpu_mem_free(gpu_, shared_of_gpu), DOCA_SUCCESS);
  }
  /// Until the kernel has ended.
  void wait() { EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess); }
  void end() {
    DOCA_GPUNETIO_VOLATILE(shared_->exit_flag) = 1;
    wait();
  }
  bool has_entered() const { return DOCA_GPUNETIO_VOLATILE(shared_->entered) != 0; }
  uint64_t frames() const { return DOCA_GPUNETIO_VOLATILE(shared_->frames); }
  /// Once it has ended.
  const Shared& result() const { return *shared_; }

  cudaStream_t stream = nullptr;
  Shared* shared_of_gpu = nullptr;

 private:
  doca_gpu* gpu_;
  Shared* shared_ = nullptr;
};

warpnic::NicStatistics statistics_of(doca_dev* dev) {
  warpnic::NicStatistics statistics;
  EXPECT_EQ(warpnic::get_nic_statistics(dev, &statistics), DOCA_SUCCESS);
  return statistics;
}
uint64_t dropped_of(const warpnic::NicStatistics& statistics) {
  uint64_t sum = 0;
  for (const auto& [cause, count] : statistics.dropped) sum += count;
  return sum;
}

struct Lifecycle : testing::Test {
  void open(const std::string& spec) {
    gpu = open_gpu();
    dev = open_nic(spec);
    ASSERT_NE(gpu, nullptr);
    ASSERT_NE(dev, nullptr);
  }
  ~Lifecycle() override {
    if (dev != nullptr) {
      EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
    }
    EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_SUCCESS);
  }
  /// After the queues are stopped.
  void expect_all_accounted_for() {
    const warpnic::NicStatistics statistics = statistics_of(dev);
    EXPECT_EQ(statistics.in_flight, 0u);
    EXPECT_EQ(statistics.frames, statistics.delivered + dropped_of(statistics));
  }
  doca_gpu* gpu = nullptr;
  doca_dev* dev = nullptr;
};

TEST_F(Lifecycle, APersistentKernelReceivesAllThereIs) {
  open("gen:size=64,count=5000");
  Queue queue(dev, gpu);
  Kernel kernel(gpu);
  ASSERT_EQ(receive_until_told(queue.start(), 1000000, kernel.shared_of_gpu, kernel.stream),
            cudaSuccess);
  EXPECT_TRUE(wait_for([&] { return kernel.frames() == 5000; })) << kernel.frames();
  kernel.end();
  EXPECT_EQ(kernel.result().status, DOCA_SUCCESS);
  EXPECT_EQ(kernel.result().bytes, 5000u * 64);
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  const warpnic::NicStatistics statistics = statistics_of(dev);
  EXPECT_EQ(statistics.frames, 5000u);
  EXPECT_EQ(statistics.delivered, 5000u);
  EXPECT_TRUE(statistics.link_ended);
  expect_all_accounted_for();
  queue.destroy(gpu);
}

TEST_F(Lifecycle, StopWakesAKernelThatWaitsForEver) {
  open("gen:size=64,rate=1000,count=1");
  Queue queue(dev, gpu);
  Kernel kernel(gpu);
  ASSERT_EQ(receive_until_told(queue.start(), kForEver, kernel.shared_of_gpu, kernel.stream),
            cudaSuccess);
  EXPECT_TRUE(wait_for([&] { return kernel.frames() == 1; }));
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  kernel.wait();
  EXPECT_EQ(kernel.result().status, DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(kernel.result().frames, 1u);
  queue.destroy(gpu);
}

TEST_F(Lifecycle, StopUnderFullLoadLosesCountOfNothing) {
  open("gen:size=64");
  Queue queue(dev, gpu);
  Kernel kernel(gpu);
  ASSERT_EQ(receive_until_told(queue.start(), kForEver, kernel.shared_of_gpu, kernel.stream),
            cudaSuccess);
  EXPECT_TRUE(wait_for([&] { return kernel.frames() > 2000; }));
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  kernel.wait();
  EXPECT_EQ(kernel.result().status, DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(statistics_of(dev).delivered, kernel.result().frames);
  expect_all_accounted_for();
  queue.destroy(gpu);
}

TEST_F(Lifecycle, ACallThatComesLateFindsTheQueueClosedEvenWhenItIsGone) {
  open("gen:size=64");
  Queue queue(dev, gpu);
  doca_gpu_eth_rxq* const handle = queue.start();
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  queue.destroy(gpu);
  {
    Kernel kernel(gpu);
    ASSERT_EQ(receive_once(handle, kernel.shared_of_gpu, kernel.stream), cudaSuccess);
    kernel.wait();
    EXPECT_EQ(kernel.result().status, DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(kernel.result().frames, 0u);
  }
}

TEST_F(Lifecycle, AQueueRunsAnewWhileTheOldHandleStaysClosed) {
  open("gen:size=64");
  Queue queue(dev, gpu);
  uint64_t received = 0;
  doca_gpu_eth_rxq* before = nullptr;
  for (int run = 0; run < 5; ++run) {
    doca_gpu_eth_rxq* const handle = queue.start();
    Kernel kernel(gpu);
    ASSERT_EQ(receive_until_told(handle, kForEver, kernel.shared_of_gpu, kernel.stream),
              cudaSuccess);
    if (before) {
      Kernel late(gpu);
      ASSERT_EQ(receive_once(before, late.shared_of_gpu, late.stream), cudaSuccess);
      late.wait();
      EXPECT_EQ(late.result().status, DOCA_ERROR_BAD_STATE);
    }
    EXPECT_TRUE(wait_for([&] { return kernel.frames() > 300; })) << "more than one lap";
    EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
    kernel.wait();
    EXPECT_EQ(kernel.result().first, 0u) << "each run counts from zero";
    received += kernel.result().frames;
    before = handle;
  }
  EXPECT_EQ(statistics_of(dev).delivered, received);
  expect_all_accounted_for();
  queue.destroy(gpu);
}

TEST_F(Lifecycle, NothingIsGivenBackWhileAKernelIsInside) {
  setenv("WARPNIC_STOP_TIMEOUT_MS", "50", 1);
  open("gen:size=64,rate=1000");
  Queue queue(dev, gpu);
  doca_gpu_eth_rxq* const handle = queue.start();
  Kernel holder(gpu);
  ASSERT_EQ(stay_inside(handle, holder.shared_of_gpu, holder.stream), cudaSuccess);
  EXPECT_TRUE(wait_for([&] { return holder.has_entered(); }));
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_eth_rxq_destroy(queue.rxq), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_mmap_stop(queue.map), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_mmap_destroy(queue.map), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_gpu_destroy(gpu), DOCA_ERROR_IN_USE);
  unsetenv("WARPNIC_STOP_TIMEOUT_MS");
  {
    Kernel kernel(gpu);  // the queue works as before
    ASSERT_EQ(receive_until_told(handle, 1000000, kernel.shared_of_gpu, kernel.stream),
              cudaSuccess);
    EXPECT_TRUE(wait_for([&] { return kernel.frames() > 0; }));
    kernel.end();
    EXPECT_EQ(kernel.result().status, DOCA_SUCCESS);
  }
  holder.end();
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  expect_all_accounted_for();
  queue.destroy(gpu);
}

/// DOCA's receive sample: memory first, then queue, then a map that was never stopped.
TEST_F(Lifecycle, GivenBackInTheOrderOfTheReceiveSample) {
  open("gen:size=64");
  Queue queue(dev, gpu);
  Kernel kernel(gpu);
  ASSERT_EQ(receive_until_told(queue.start(), 1000000, kernel.shared_of_gpu, kernel.stream),
            cudaSuccess);
  EXPECT_TRUE(wait_for([&] { return kernel.frames() > 300; }));
  kernel.end();
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_gpu_mem_free(gpu, queue.memory), DOCA_SUCCESS);
  EXPECT_EQ(doca_eth_rxq_destroy(queue.rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(queue.map), DOCA_SUCCESS);
}

TEST_F(Lifecycle, MemoryMayBeFreedAndTheDeviceClosedUnderARunningQueue) {
  open("gen:size=64");
  Queue queue(dev, gpu);
  Kernel kernel(gpu);
  ASSERT_EQ(receive_until_told(queue.start(), kForEver, kernel.shared_of_gpu, kernel.stream),
            cudaSuccess);
  EXPECT_TRUE(wait_for([&] { return kernel.frames() > 0; }));
  EXPECT_EQ(doca_gpu_mem_free(gpu, queue.memory), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(dev), DOCA_SUCCESS);
  dev = nullptr;
  const uint64_t then = kernel.frames();
  EXPECT_TRUE(wait_for([&] { return kernel.frames() > then + 1000; })) << "it runs on";
  EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  kernel.wait();
  EXPECT_EQ(doca_eth_rxq_destroy(queue.rxq), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_destroy(queue.map), DOCA_SUCCESS);
}

TEST_F(Lifecycle, ADeviceHasAsManyQueuesAsItSaysAndOneMoreIsRefused) {
  open("gen:size=64,rate=1000");
  std::vector<std::unique_ptr<Queue>> queues;
  doca_error_t status = DOCA_SUCCESS;
  while (status == DOCA_SUCCESS && queues.size() < 1000) {
    queues.push_back(std::make_unique<Queue>(dev, gpu));
    status = doca_ctx_start(queues.back()->ctx());
  }
  EXPECT_EQ(status, DOCA_ERROR_FULL);
  ASSERT_GE(queues.size(), 2u);
  EXPECT_EQ(doca_ctx_stop(queues[0]->ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(queues.back()->ctx()), DOCA_SUCCESS) << "there is room again";
  for (size_t i = 1; i < queues.size(); ++i) {
    EXPECT_EQ(doca_ctx_stop(queues[i]->ctx()), DOCA_SUCCESS);
  }
  for (const auto& queue : queues) queue->destroy(gpu);
  expect_all_accounted_for();
}

TEST_F(Lifecycle, ThreadsWorkOnQueuesOfTheirOwn) {
  open("gen:size=64,flows=64");
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([this] {
      Queue queue(dev, gpu);
      for (int run = 0; run < 10; ++run) {
        Kernel kernel(gpu);
        EXPECT_EQ(receive_until_told(queue.start(), kForEver, kernel.shared_of_gpu, kernel.stream),
                  cudaSuccess);
        EXPECT_TRUE(wait_for([&] { return kernel.has_entered(); }));
        EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
        kernel.wait();
        EXPECT_EQ(kernel.result().status, DOCA_ERROR_BAD_STATE);
        (void)statistics_of(dev);
      }
      queue.destroy(gpu);
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_all_accounted_for();
}

TEST_F(Lifecycle, AnyThreadMayAskForTheState) {
  open("gen:size=64,rate=1000");
  Queue queue(dev, gpu);
  std::atomic<bool> over{false};
  std::thread asks([&] {
    while (!over) {
      doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
      EXPECT_EQ(doca_ctx_get_state(queue.ctx(), &state), DOCA_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (int run = 0; run < 50; ++run) {
    (void)queue.start();
    EXPECT_EQ(doca_ctx_stop(queue.ctx()), DOCA_SUCCESS);
  }
  over = true;
  asks.join();
  queue.destroy(gpu);
}

}  // namespace
}  // namespace lifecycle
