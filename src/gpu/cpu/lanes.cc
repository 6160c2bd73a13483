// Creating, switching and ending the lanes of a block. See block.h.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "block.h"
#include "options.h"
#include "sanitizer.h"

#define WARPNIC_CPU_EXPORTED_THREAD \
  __attribute__((visibility("default"), tls_model("initial-exec"))) __thread

// The built-in variables of the device language (device/language.h). There the last two are dim3,
// the same bytes with constructors, which a thread-local variable should not have to run.
WARPNIC_CPU_EXPORTED_THREAD uint3 threadIdx;
WARPNIC_CPU_EXPORTED_THREAD uint3 blockIdx;
WARPNIC_CPU_EXPORTED_THREAD uint3 blockDim;
WARPNIC_CPU_EXPORTED_THREAD uint3 gridDim;

namespace warpnic::cpu {

__thread Worker* current_worker __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr size_t kPageBytes = 4096;

std::atomic<int64_t> live_stacks{0};

void free_stack(char* stack) {
  sanitizer::unpoison(stack, options().stack_bytes);
  munmap(stack - kPageBytes, options().stack_bytes + kPageBytes);
  live_stacks--;
}

char* new_stack() {
  const size_t bytes = options().stack_bytes;
  void* memory = mmap(nullptr, bytes + kPageBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    perror("warpnic cpu executor: stack of a CUDA thread");
    abort();
  }
  static std::atomic<bool> said{false};
  if (live_stacks.fetch_add(1) < options().guarded_stacks &&
      mprotect(memory, kPageBytes, PROT_NONE) == 0) {
    return static_cast<char*>(memory) + kPageBytes;
  }
  if (!said.exchange(true)) {
    fprintf(stderr,
            "warpnic cpu executor: so many CUDA threads are resident that further stacks have no "
            "guard page (WARPNIC_CPU_GUARDED_STACKS, vm.max_map_count)\n");
  }
  return static_cast<char*>(memory) + kPageBytes;
}

// Runs on the context that was switched to.
void arrive(Worker& worker) {
  if (worker.current != nullptr) {
    const bool from_main = worker.previous == nullptr;
    sanitizer::finish_switch(worker.current->fake_stack,
                             from_main ? &worker.main_stack_bottom : nullptr,
                             from_main ? &worker.main_stack_bytes : nullptr);
  } else {
    sanitizer::finish_switch(worker.main_fake_stack, nullptr, nullptr);
  }
}

void switch_to(Worker& worker, Lane* to, bool ends) {
  Lane* from = worker.current;
  worker.previous = from;
  worker.current = to;
  void** save = from != nullptr ? &from->fake_stack : &worker.main_fake_stack;
  if (ends) {
    save = nullptr;  // tells AddressSanitizer that this stack is done
  }
  if (to != nullptr) {
    to->state = LaneState::kRunning;
    threadIdx = to->index;
    sanitizer::start_switch(save, to->stack, options().stack_bytes);
  } else {
    sanitizer::start_switch(save, worker.main_stack_bottom, worker.main_stack_bytes);
  }
  sanitizer::switch_fiber(to != nullptr ? to->tsan_fiber : worker.main_tsan_fiber, false);
  context_switch(from != nullptr ? from->context : worker.main,
                 to != nullptr ? to->context : worker.main);
  arrive(worker);
}

/// Calls the kernel with this lane's own copy of the arguments.
__attribute__((noinline)) void call_kernel(const Launch& launch) {
  const Arguments& arguments = launch.arguments;
  const size_t count = arguments.places.size();
  auto* slots = static_cast<uint64_t*>(__builtin_alloca((count + 1) * sizeof(uint64_t)));
  auto* copy =
      static_cast<char*>(__builtin_alloca_with_align(arguments.bytes.size() + 64, 64 * 8));
  if (!arguments.bytes.empty()) {
    memcpy(copy, arguments.bytes.data(), arguments.bytes.size());
  }
  for (size_t i = 0; i < count; i++) {
    const auto [offset, bytes] = arguments.places[i];
    slots[i] = 0;
    if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8) {
      memcpy(&slots[i], copy + offset, bytes);
    } else {
      slots[i] = reinterpret_cast<uint64_t>(copy + offset);
    }
  }
  warpnic_cpu_call_kernel(launch.kernel->body, slots, count);
}

void lane_main() {
  Worker& worker = *current_worker;
  arrive(worker);
  Block& block = worker.block;
  call_kernel(*block.launch);
  Lane& lane = *worker.current;
  lane.state = LaneState::kExited;
  block.live--;
  lane.warp->exited |= 1u << lane.lane;
  warp_lane_exited(block, lane);
  barrier_lane_exited(block);
  sanitizer::release(&block);
  schedule(worker, true);
  abort();  // an ended lane is never scheduled again
}

/// The worker of an OS thread; goes with the thread, and its lanes' stacks with it.
class WorkerOfThread {
 public:
  Worker& get() {
    if (!worker_) {
      worker_ = std::make_unique<Worker>();
      current_worker = worker_.get();
    }
    return *worker_;
  }
  ~WorkerOfThread() { current_worker = nullptr; }

 private:
  std::unique_ptr<Worker> worker_;
};

uint3 coordinates(unsigned number, const dim3& extent) {
  return {number % extent.x, number / extent.x % extent.y, number / (extent.x * extent.y)};
}

void start_lane(Worker& worker, unsigned number) {
  Block& block = worker.block;
  Lane& lane = block.lanes[number];
  lane.linear = number;
  lane.lane = static_cast<uint8_t>(number % kWarpLanes);
  lane.warp = block.warps[number / kWarpLanes].get();
  lane.index = coordinates(number, block.launch->block);
  lane.place = nullptr;
  lane.fake_stack = nullptr;
  if (lane.stack == nullptr) {
    lane.stack = new_stack();
    lane.tsan_fiber = sanitizer::create_fiber();
  }
  const size_t bytes = options().stack_bytes;
  sanitizer::unpoison(lane.stack, bytes);
  // Tops of stacks are spread over cache sets, or a block's lanes would evict one another.
  context_make(lane.context, lane.stack, bytes - (number * 5 % 61) * 64, lane_main);
  // Each lane sees what the launching thread did, but not what other lanes do.
  sanitizer::switch_fiber(lane.tsan_fiber, true);
  sanitizer::switch_fiber(worker.main_tsan_fiber, false);
  make_ready(block, &lane);
}

void start_block(Worker& worker, const Launch& launch, unsigned number) {
  Block& block = worker.block;
  block.launch = &launch;
  block.index = coordinates(number, launch.grid);
  block.threads = block.live = launch.block.x * launch.block.y * launch.block.z;
  block.random = (options().seed + 1) * 2654435761u ^ (number + 1) * 40503u;
  block.random += block.random == 0;
  block.ready.clear();
  block.barrier = Barrier{};
  if (block.lanes.size() < block.threads) {
    block.lanes.resize(block.threads);
  }
  const unsigned warps = (block.threads + kWarpLanes - 1) / kWarpLanes;
  while (block.warps.size() < warps) {
    block.warps.push_back(std::make_unique<Warp>());
  }
  for (unsigned i = 0; i < warps; i++) {
    const unsigned present = block.threads - i * kWarpLanes;
    block.warps[i]->used = 0;
    block.warps[i]->exited = present < kWarpLanes ? ~0u << present : 0;
  }
  blockIdx = block.index;
  blockDim = launch.block;
  gridDim = launch.grid;
  worker.shared.lay_out(*launch.kernel->image, launch.dynamic_bytes);
}

}  // namespace

Worker::Worker() { main_tsan_fiber = sanitizer::current_fiber(); }

Worker::~Worker() {
  for (Lane& lane : block.lanes) {
    if (lane.stack != nullptr) {
      free_stack(lane.stack);
      sanitizer::destroy_fiber(lane.tsan_fiber);
    }
  }
}

void make_ready(Block& block, Lane* lane) {
  lane->state = LaneState::kReady;
  block.ready.push(lane);
}

uint32_t next_random(Block& block) {
  uint32_t x = block.random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return block.random = x;
}

void schedule(Worker& worker, bool ends) {
  Block& block = worker.block;
  const unsigned ready = block.ready.size();
  if (ready == 0) {
    if (block.live != 0) {
      report_and_abort(block, "deadlock: no lane of this block can run");
    }
    switch_to(worker, nullptr, ends);
    return;
  }
  if (options().seed != 0 && ready > 1) {
    block.ready.bring_forward(next_random(block) % (ready < 8 ? ready : 8));
  }
  Lane* next = block.ready.pop();
  if (next == worker.current) {
    next->state = LaneState::kRunning;
    return;
  }
  switch_to(worker, next, ends);
}

void run_block(const Launch& launch, unsigned block_number) {
  static thread_local WorkerOfThread own;
  Worker& worker = own.get();
  start_block(worker, launch, block_number);
  for (unsigned i = 0; i < worker.block.threads; i++) {
    start_lane(worker, i);
  }
  yield_start_block(worker);
  schedule(worker);
  sanitizer::acquire(&worker.block);
  yield_end_block();
  worker.current = nullptr;
  worker.block.launch = nullptr;
}

}  // namespace warpnic::cpu
