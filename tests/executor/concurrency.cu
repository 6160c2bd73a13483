// Kernels that run for long: beside each other, beside the host, and lanes beside lanes.
#include <cuda/atomic>

#include <thread>
#include <vector>

#include "kit.h"

namespace {

struct Mailbox {
  volatile unsigned request;
  char gap[60];
  volatile unsigned answer;
  char gap2[60];
  volatile unsigned stop;
};

}  // namespace

__global__ void answer_until_stopped(Mailbox* box) {
  __shared__ unsigned seen;
  unsigned last = 0;
  for (;;) {
    if (threadIdx.x == 0) {
      unsigned request;
      while ((request = box->request) == last && box->stop == 0) {
      }
      seen = box->stop != 0 ? ~0u : request;
    }
    __syncthreads();
    last = seen;
    if (last == ~0u) {
      return;
    }
    if (threadIdx.x == blockDim.x - 1) {
      __threadfence_system();
      box->answer = last;
    }
    __syncthreads();
  }
}

TEST(Concurrency, HostAndPersistentKernelTalk) {
  Pinned<Mailbox> box;
  TestStream stream;
  answer_until_stopped<<<1, 96, 0, stream>>>(box.get());
  for (unsigned i = 1; i <= 200; i++) {
    box->request = i;
    while (box->answer != i) {
      std::this_thread::yield();
    }
  }
  EXPECT_EQ(cudaErrorNotReady, cudaStreamQuery(stream));
  box->stop = 1;
  stream.wait();
  EXPECT_EQ(cudaSuccess, cudaStreamQuery(stream));
}

__global__ void pass_on(Mailbox* from, Mailbox* to) {
  unsigned last = 0;
  while (last != 100) {
    unsigned value;
    while ((value = from->request) == last) {
    }
    to->request = last = value;
  }
}

__global__ void count_up(Mailbox* first, Mailbox* last) {
  for (unsigned i = 1; i <= 100; i++) {
    first->request = i;
    while (last->request != i) {
    }
  }
}

TEST(Concurrency, KernelsOnDifferentStreamsRunAtTheSameTime) {
  Pinned<Mailbox> boxes(3);
  TestStream streams[3];
  pass_on<<<1, 1, 0, streams[0]>>>(&boxes[0], &boxes[1]);
  pass_on<<<1, 1, 0, streams[1]>>>(&boxes[1], &boxes[2]);
  count_up<<<1, 1, 0, streams[2]>>>(&boxes[0], &boxes[2]);
  for (const TestStream& stream : streams) {
    stream.wait();
  }
  EXPECT_EQ(100u, boxes[2].request);
}

// No call into the runtime and no barrier: only the yield counter lets the other lane run.
__global__ void wait_for_neighbour(volatile int* rounds, int count) {
  for (int round = 1; round <= count; round++) {
    if (threadIdx.x != 0) {
      while (rounds[threadIdx.x - 1] < round) {
      }
    }
    rounds[threadIdx.x] = round;
  }
}

TEST(Concurrency, SpinningLaneDoesNotStarveItsNeighbours) {
  Pinned<int> rounds(64);
  wait_for_neighbour<<<1, 64>>>(rounds.get(), 20);
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(20, rounds[63]);
}

__global__ void wait_for_last_lane(volatile int* word) {
  if (threadIdx.x == 31) {
    *word = 1;
  }
  do {
  } while (*word == 0);
  for (;;) {
    if (*word != 0) break;
  }
}

TEST(Concurrency, EveryShapeOfSpinLoopYields) {
  Pinned<int> word;
  wait_for_last_lane<<<1, 32>>>(word.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
}

__global__ void grid_barrier(unsigned* arrived, volatile unsigned* go, unsigned rounds) {
  for (unsigned round = 1; round <= rounds; round++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      if (atomicAdd(arrived, 1u) == gridDim.x * round - 1) {
        *go = round;
      }
      while (*go < round) {
      }
    }
    __syncthreads();
  }
}

TEST(Concurrency, AllBlocksOfAGridAreResident) {
  Pinned<unsigned> words(64);
  grid_barrier<<<16, 128>>>(&words[0], &words[32], 5);
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(5u, words[32]);
}

__global__ void many_threads(unsigned* sum) {
  __syncthreads();
  atomicAdd(sum, 1u);
}

TEST(Concurrency, LargestBlocksAndManyOfThem) {
  Pinned<unsigned> sum;
  many_threads<<<8, 1024>>>(sum.get());
  many_threads<<<2000, 1>>>(sum.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(8u * 1024 + 2000, *sum);
}
