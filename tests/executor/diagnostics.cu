// What cannot go on is reported with kernel, block, lanes and places, and ends the process.
// Seeds: a schedule can be replayed. Each case runs in a process of its own.
#undef NDEBUG
#include <assert.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "kit.h"

__global__ void missing_lane() {
  if (threadIdx.x == 0) {
    __syncthreads();
  } else if (threadIdx.x < 32) {
    __syncwarp();
  }
}
__global__ void mask_without_caller() {
  if (threadIdx.x & 1) {
    __ballot_sync(0x55555555u, 1);
  }
}
__global__ void mixed_operations() {
  if (threadIdx.x & 1) {
    __ballot_sync(~0u, 1);
  } else {
    __shfl_sync(~0u, 1, 0);
  }
}
// Lane 31 may wait for all while lanes 0 to 15 still have an operation of their own before them.
__global__ void overlapping_masks(int* done) {
  if (threadIdx.x < 16) {
    for (int i = 0; i < 100; ++i) __syncwarp(0x0000ffffu);
  }
  __syncwarp();
  atomicAdd(done, 1);
}
__global__ void mixed_barriers() {
  if (threadIdx.x == 0) {
    __syncthreads();
  } else {
    __syncthreads_or(1);
  }
}
__global__ void shuffle_from_outside() { __shfl_sync(0xffu, 1, 20); }
__global__ void trap() { __trap(); }
__global__ void failing_assert() { assert(threadIdx.x == 77); }

template <class Kernel>
void run(Kernel kernel, unsigned threads) {
  kernel<<<1, threads>>>();
  cudaDeviceSynchronize();
}

TEST(DiagnosticsDeathTest, DeadlockNamesEveryLaneAndPlace) {
  EXPECT_DEATH(run(missing_lane, 64),
               "no lane of this block can run(.|\n)*kernel missing_lane\\(\\), block \\(0,0,0\\)"
               "(.|\n)*threads 0 at __syncthreads: missing_lane.*diagnostics.cu:[0-9]+"
               "(.|\n)*threads 1-31 at __syncwarp, mask 0xffffffff: missing_lane.*diagnostics.cu");
}
TEST(DiagnosticsDeathTest, LaneOutsideItsMask) {
  EXPECT_DEATH(run(mask_without_caller, 32), "whose mask does not name it");
}
TEST(DiagnosticsDeathTest, MixedWarpOperations) {
  EXPECT_DEATH(run(mixed_operations, 32), "called different warp operations");
}
TEST(Diagnostics, OverlappingMasksAreNoError) {
  Pinned<int> done;
  overlapping_masks<<<1, 32>>>(done.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(32, done[0]);
}
TEST(DiagnosticsDeathTest, MixedBarriers) {
  EXPECT_DEATH(run(mixed_barriers, 32), "different kinds of block barrier");
}
TEST(DiagnosticsDeathTest, ShuffleFromOutsideTheMask) {
  EXPECT_DEATH(run(shuffle_from_outside, 8), "reads a lane that is not in its mask");
}
TEST(DiagnosticsDeathTest, Trap) { EXPECT_DEATH(run(trap, 1), "__trap\\(\\) was called"); }
TEST(DiagnosticsDeathTest, Assert) {
  EXPECT_DEATH(run(failing_assert, 1), "threadIdx.x == 77");
}

__global__ void wait_with_one_lane(volatile int* word) {
  if (threadIdx.x == 0) {
    while (*word == 0) {
    }
  }
  __syncwarp();
}

void run_until_watchdog_speaks() {
  setenv("WARPNIC_CPU_WATCHDOG_S", "1", 1);
  Pinned<int> word;
  TestStream stream;
  wait_with_one_lane<<<1, 32, 0, stream>>>(word.get());
  for (;;) {  // the report is what ends this: the parent waits for its text
    if (testing::internal::GetCapturedStderr().find("watchdog") != std::string::npos) {
      break;
    }
    testing::internal::CaptureStderr();
    const timespec pause{0, 100000000};
    nanosleep(&pause, nullptr);
  }
  fprintf(stderr, "the watchdog spoke\n");
  _exit(3);
}

TEST(DiagnosticsDeathTest, WatchdogReportsLanesThatWaitLong) {
  EXPECT_EXIT(
      {
        testing::internal::CaptureStderr();
        run_until_watchdog_speaks();
      },
      testing::ExitedWithCode(3), "the watchdog spoke");
}

// Records in which order lanes get past their loops: the schedule's fingerprint.
__global__ void record_schedule(int* order, int* next) {
  for (int round = 0; round < 10; round++) {
    volatile int work = 0;
    for (int i = 0; i < 20; i++) {
      work = work + 1;
    }
    order[atomicAdd(next, 1)] = static_cast<int>(threadIdx.x);
  }
}

void print_schedule(const char* seed) {
  setenv("WARPNIC_CPU_SEED", seed, 1);
  setenv("WARPNIC_CPU_QUANTUM", "8", 1);
  Pinned<int> order(320);
  Pinned<int> next;
  record_schedule<<<1, 32>>>(order.get(), next.get());
  cudaDeviceSynchronize();
  unsigned long long hash = 14695981039346656037ull;
  for (int i = 0; i < 320; i++) {
    hash = (hash ^ static_cast<unsigned>(order[i])) * 1099511628211ull;
  }
  fprintf(stdout, "%llx\n", hash);
}

std::string schedule_of(const char* seed) {
  const std::string command = "/proc/self/exe";
  char path[4096];
  const ssize_t length = readlink(command.c_str(), path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  const std::string line = std::string("WARPNIC_TEST_SCHEDULE=") + seed + " '" + path +
                           "' --gtest_filter=Seeds.Print --gtest_brief=1 2>/dev/null";
  FILE* pipe = popen(line.c_str(), "r");
  char text[256] = "";
  const char* got = fgets(text, sizeof text, pipe);
  pclose(pipe);
  return got != nullptr ? got : "";
}

TEST(Seeds, Print) {
  if (const char* seed = getenv("WARPNIC_TEST_SCHEDULE")) {
    print_schedule(seed);
  }
}

TEST(Seeds, SameSeedSameScheduleOtherSeedOther) {
  const std::string first = schedule_of("1");
  EXPECT_GT(first.size(), 4u);
  EXPECT_EQ(first, schedule_of("1"));
  EXPECT_NE(first, schedule_of("2"));
  EXPECT_NE(first, schedule_of("3"));
  EXPECT_EQ(schedule_of("0"), schedule_of("0"));
}
