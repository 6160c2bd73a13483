// SPDX-License-Identifier: Apache-2.0
// The job on the host: opens NIC and GPU, starts a queue and a kernel each, waits, gathers.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "objects.h"
#include "result.h"

namespace flows {
namespace {

using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;
void on_signal(int) { interrupted = 1; }

/// For errors of the user's, with a status of their own.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

GpuOwner open_gpu(const std::string& spec, std::string* name) {
  if (spec.rfind("cuda:", 0) == 0) {
    throw UsageError("--gpu " + spec + ": CUDA devices cannot be fed with frames yet; use "
                     "--gpu cpu, the CPU executor");
  }
  char bus_id[32] = "";
  check(cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, 0), "cudaDeviceGetPCIBusId");
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  *name = properties.name;
  doca_gpu* gpu = nullptr;
  check(doca_gpu_create(bus_id, &gpu), "doca_gpu_create");
  return GpuOwner(gpu);
}

Device open_nic(const std::string& spec) {
  std::string address, why;
  const doca_error_t status = warpnic::create_virtual_nic("", spec, &address, &why);
  if (status == DOCA_ERROR_INVALID_VALUE) throw UsageError("--nic " + spec + ": " + why);
  if (status != DOCA_SUCCESS) throw std::runtime_error(why);
  doca_devinfo** list = nullptr;
  uint32_t count = 0;
  check(doca_devinfo_create_list(&list, &count), "doca_devinfo_create_list");
  doca_dev* dev = nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    uint8_t equal = 0;
    check(doca_devinfo_is_equal_pci_addr(list[i], address.c_str(), &equal),
          "doca_devinfo_is_equal_pci_addr");
    if (equal) check(doca_dev_open(list[i], &dev), "doca_dev_open");
  }
  (void)doca_devinfo_destroy_list(list);
  return Device(dev);
}

/// Slots for each queue: 1024, fewer where slots are long, so that a queue has about 8 MiB.
uint32_t slots_for(uint32_t slot_bytes) {
  uint32_t slots = 1024;
  while (slots > 64 && uint64_t{slots} * slot_bytes > 8u << 20) slots /= 2;
  return slots;
}

/// A receive queue, its memory, and the kernel that reads it.
class Worker {
 public:
  Worker(doca_dev* dev, doca_gpu* gpu, const Options& options, const int* exit_flag)
      : options_(options), exit_flag_(exit_flag) {
    const uint32_t slots = slots_for(options.slot_bytes);
    uint32_t bytes = 0;
    check(doca_eth_rxq_estimate_packet_buf_size(DOCA_ETH_RXQ_TYPE_CYCLIC, 0, 0, options.slot_bytes,
                                                slots, 0, 0, 0, &bytes),
          "doca_eth_rxq_estimate_packet_buf_size");
    packets_ = Memory(gpu, bytes, DOCA_GPU_MEM_TYPE_GPU);
    doca_mmap* map = nullptr;
    check(doca_mmap_create(&map), "doca_mmap_create");
    map_ = MapOwner(map);
    check(doca_mmap_add_dev(map, dev), "doca_mmap_add_dev");
    check(doca_mmap_set_memrange(map, packets_.gpu<void>(), bytes), "doca_mmap_set_memrange");
    check(doca_mmap_start(map), "doca_mmap_start");

    doca_eth_rxq* queue = nullptr;
    check(doca_eth_rxq_create(dev, slots, options.slot_bytes, &queue), "doca_eth_rxq_create");
    queue_ = QueueOwner(queue);
    check(doca_eth_rxq_set_type(queue, DOCA_ETH_RXQ_TYPE_CYCLIC), "doca_eth_rxq_set_type");
    check(doca_eth_rxq_set_pkt_buf(queue, map, 0, bytes), "doca_eth_rxq_set_pkt_buf");
    check(doca_ctx_set_datapath_on_gpu(context(), gpu), "doca_ctx_set_datapath_on_gpu");

    entries_ = Memory(gpu, options.table_flows * sizeof(Entry), DOCA_GPU_MEM_TYPE_GPU);
    first_ns_ = Memory(gpu, options.table_flows * sizeof(uint64_t), DOCA_GPU_MEM_TYPE_GPU);
    totals_ = Memory(gpu, sizeof(Totals), DOCA_GPU_MEM_TYPE_GPU);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    stream_ = StreamOwner(stream);
  }
  ~Worker() {
    if (!running_) return;
    (void)doca_ctx_stop(context());
    (void)cudaStreamSynchronize(stream_.get());
  }
  Worker(const Worker&) = delete;

  void start() {
    check(doca_ctx_start(context()), "doca_ctx_start");
    running_ = true;
    doca_gpu_eth_rxq* handle = nullptr;
    check(doca_eth_rxq_get_gpu_handle(queue_.get(), &handle), "doca_eth_rxq_get_gpu_handle");
    const Table table{entries_.gpu<Entry>(), first_ns_.gpu<uint64_t>(), options_.table_flows - 1,
                      totals_.gpu<Totals>()};
    check(start_kernel(options_.scope, {handle, table, exit_flag_, options_.delay_ms},
                       stream_.get()),
          "starting the kernel");
  }

  /// Stops the queue, which ends the kernel if it has not ended yet.
  void stop() {
    check(doca_ctx_stop(context()), "doca_ctx_stop");
    running_ = false;
    check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
  }

  bool kernel_ended() const { return cudaStreamQuery(stream_.get()) == cudaSuccess; }

  /// Adds what the kernel found. After stop().
  void gather(Merger& merger) const {
    std::vector<Entry> entries(options_.table_flows);
    std::vector<uint64_t> first_ns(options_.table_flows);
    const auto totals = std::make_unique<Totals>();
    copy(entries.data(), entries_, entries.size() * sizeof(Entry));
    copy(first_ns.data(), first_ns_, first_ns.size() * sizeof(uint64_t));
    copy(totals.get(), totals_, sizeof(Totals));
    merger.add(entries.data(), first_ns.data(), options_.table_flows, *totals);
    const auto end = static_cast<doca_error_t>(totals->end);
    if (end != DOCA_SUCCESS && end != DOCA_ERROR_BAD_STATE) check(end, "doca_gpu_dev_eth_rxq_recv");
  }

 private:
  doca_ctx* context() const { return doca_eth_rxq_as_doca_ctx(queue_.get()); }
  static void copy(void* to, const Memory& from, size_t bytes) {
    check(cudaMemcpy(to, from.gpu<void>(), bytes, cudaMemcpyDefault), "cudaMemcpy");
  }

  const Options& options_;
  const int* exit_flag_;
  Memory packets_, entries_, first_ns_, totals_;
  MapOwner map_;
  QueueOwner queue_;
  StreamOwner stream_;
  bool running_ = false;
};

/// A line that is written over and over, on a terminal only.
class Progress {
 public:
  explicit Progress(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }
  void update(const warpnic::NicStatistics& now) {
    const auto time = Clock::now();
    const double seconds = std::chrono::duration<double>(time - last_).count();
    if (!shown_ || seconds < 0.25) return;
    uint64_t dropped = 0;
    for (const auto& [cause, frames] : now.dropped) dropped += frames;
    std::fprintf(stderr, "\r\033[K%llu frames, %.2f million a second, %llu in flight, %llu dropped",
                 static_cast<unsigned long long>(now.frames),
                 static_cast<double>(now.frames - frames_) / seconds * 1e-6,
                 static_cast<unsigned long long>(now.in_flight),
                 static_cast<unsigned long long>(dropped));
    frames_ = now.frames;
    last_ = time;
    written_ = true;
  }
  void clear() {
    if (written_) std::fputs("\r\033[K", stderr);
    written_ = false;
  }

 private:
  bool shown_;
  bool written_ = false;
  uint64_t frames_ = 0;
  Clock::time_point last_ = Clock::now();
};

/// Until the link has ended and every frame was received, the time is over, Ctrl-C, or a kernel
/// gave up.
void wait_for_end(const Options& options, doca_dev* dev,
                  const std::vector<std::unique_ptr<Worker>>& workers, Clock::time_point start) {
  Progress progress(!options.json);
  warpnic::NicStatistics statistics;
  while (!interrupted) {
    check(warpnic::get_nic_statistics(dev, &statistics), "get_nic_statistics");
    if (statistics.link_ended && statistics.in_flight == 0) return;
    progress.update(statistics);
    if (options.duration_s > 0 && Clock::now() - start >=
                                      std::chrono::duration<double>(options.duration_s)) {
      return;
    }
    if (std::any_of(workers.begin(), workers.end(),
                    [](const auto& worker) { return worker->kernel_ended(); })) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Every frame that came in was delivered or dropped, and every delivered one was counted.
void check_sums(const Outcome& outcome) {
  uint64_t sum = outcome.statistics.delivered + outcome.statistics.in_flight;
  for (const auto& [cause, frames] : outcome.statistics.dropped) sum += frames;
  uint64_t counted = outcome.malformed + outcome.untracked_frames;
  for (const auto& [type, frames] : outcome.non_ip) counted += frames;
  for (const Flow& flow : outcome.flows) counted += flow.frames;
  if (sum != outcome.statistics.frames || counted != outcome.statistics.delivered ||
      outcome.received_frames != outcome.statistics.delivered) {
    throw std::runtime_error("the counts do not add up: " +
                             std::to_string(outcome.statistics.frames) + " frames came in, " +
                             std::to_string(sum) + " are accounted for, " +
                             std::to_string(outcome.statistics.delivered) + " were delivered, " +
                             std::to_string(counted) + " counted; please report this");
  }
}

void run_job(const Options& options) {
  Outcome outcome;
  outcome.nic = options.nic;
  const GpuOwner gpu = open_gpu(options.gpu, &outcome.gpu);
  const Device nic = open_nic(options.nic);
  const Memory exit_flag(gpu.get(), sizeof(int), DOCA_GPU_MEM_TYPE_GPU_CPU);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < options.queues; ++i) {
    workers.push_back(
        std::make_unique<Worker>(nic.get(), gpu.get(), options, exit_flag.gpu<int>()));
  }
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  const auto start = Clock::now();
  for (const auto& worker : workers) worker->start();
  wait_for_end(options, nic.get(), workers, start);
  DOCA_GPUNETIO_VOLATILE(*exit_flag.cpu<int>()) = 1;
  for (const auto& worker : workers) worker->stop();
  outcome.elapsed_s = std::chrono::duration<double>(Clock::now() - start).count();

  check(warpnic::get_nic_statistics(nic.get(), &outcome.statistics), "get_nic_statistics");
  Merger merger;
  for (const auto& worker : workers) worker->gather(merger);
  merger.finish(outcome);
  check_sums(outcome);
  if (!outcome.statistics.link_warning.empty()) {
    std::fprintf(stderr, "warpnic flows: warning: %s\n", outcome.statistics.link_warning.c_str());
  }
  if (outcome.untracked_frames) {
    std::fprintf(stderr,
                 "warpnic flows: warning: the flow table of %u flows a queue is full: %llu frames "
                 "(%llu bytes) belong to flows that are not listed; --table allows more\n",
                 options.table_flows, static_cast<unsigned long long>(outcome.untracked_frames),
                 static_cast<unsigned long long>(outcome.untracked_bytes));
  }
  if (options.json) {
    print_json(outcome);
  } else {
    print_table(outcome, options);
  }
}

}  // namespace

int run(const Options& options) {
  try {
    run_job(options);
    return 0;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "warpnic flows: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "warpnic flows: %s\n", error.what());
    return 1;
  }
}

}  // namespace flows
