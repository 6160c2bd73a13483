// SPDX-License-Identifier: Apache-2.0
// doca_gpu_dev_eth_rxq_recv against a stand-in for the NIC: contract of the public header, in all
// three scopes. Kernels end by themselves: each has a deadline.
#include <cuda_runtime.h>

#include "doca_gpunetio_dev_eth_rxq.cuh"
#include "stand_in.h"
#include "warpnic/port/wait.h"

namespace {

constexpr auto kThread = DOCA_GPUNETIO_ETH_EXEC_SCOPE_THREAD;
constexpr auto kWarp = DOCA_GPUNETIO_ETH_EXEC_SCOPE_WARP;
constexpr auto kBlock = DOCA_GPUNETIO_ETH_EXEC_SCOPE_BLOCK;
constexpr uint64_t kTimeoutNs = 1000000;
constexpr uint64_t kDeadlineNs = 100ull * 1000000000;
constexpr uint32_t kMostPackets = 256;

struct Found {
  unsigned long long packets;
  unsigned long long errors;   ///< anything that is not as it must be
  unsigned long long calls;    ///< that returned a packet
  unsigned int most;           ///< packets of one call
  unsigned int status;         ///< of the last call
};

template <doca_gpu_dev_eth_exec_scope kScope>
__device__ doca_error_t receive_all(doca_gpu_eth_rxq* queue, uint32_t max, uint64_t timeout,
                                    uint64_t* first, uint32_t* count,
                                    doca_gpu_dev_eth_rxq_attr* attributes) {
  return doca_gpu_dev_eth_rxq_recv<kScope, DOCA_GPUNETIO_ETH_MCST_AUTO,
                                   DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO,
                                   DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(queue, max, timeout, first,
                                                                  count, attributes);
}

__device__ bool packet_is_whole(doca_gpu_eth_rxq* queue, uint64_t index) {
  const auto* words =
      reinterpret_cast<const uint64_t*>(doca_gpu_dev_eth_rxq_get_pkt_addr(queue, index));
  bool whole = true;
  for (uint64_t word = 0; word < 8; ++word) whole = whole && words[word] == index * 1000 + word;
  return whole;
}

/// The only receiver: packets come whole, in order, and stay whole for the hold-back. Threads for
/// which leaves(thread) holds are gone before the first call.
template <doca_gpu_dev_eth_exec_scope kScope>
__global__ void receive_in_order(doca_gpu_eth_rxq* queue, uint64_t end, uint32_t max,
                                 uint32_t hold_back, uint32_t leaving, Found* found) {
  if ((leaving >> (threadIdx.x % 32)) & 1u && (leaving != ~0u || threadIdx.x < 32)) return;
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  const uint64_t deadline = warpnic::now_ns() + kDeadlineNs;
  uint64_t next = 0;
  while (next < end && warpnic::now_ns() < deadline) {
    const doca_error_t status =
        receive_all<kScope>(queue, max, kTimeoutNs, &first, &count, attributes);
    if (status != DOCA_SUCCESS) {
      atomicAdd(&found->errors, 1ull);
      return;
    }
    const uint64_t begin = first;
    const uint32_t packets = count;
    if (packets == 0) continue;
    unsigned long long errors = begin != next;
    if (max != 0 && packets > max) ++errors;
    if (packets > hold_back) ++errors;
    // The lanes that are there need not be many: each looks at all packets.
    for (uint32_t i = 0; i < packets; ++i) {
      if (!packet_is_whole(queue, begin + i)) ++errors;
      if (attributes[i].bytes != packet_bytes(begin + i)) ++errors;
      if (attributes[i].timestamp_ns != packet_time(begin + i)) ++errors;
    }
    next = begin + packets;
    if (next >= hold_back && !packet_is_whole(queue, next - hold_back)) ++errors;
    if (errors != 0) atomicAdd(&found->errors, errors);
    atomicMax(&found->most, packets);
  }
  if (next != end) atomicAdd(&found->errors, 1ull);
  atomicAdd(&found->packets, static_cast<unsigned long long>(next));
}

struct Case {
  doca_gpu_dev_eth_exec_scope scope;
  unsigned threads;
  uint32_t max;
  uint32_t leaving = 0;
};

void expect_all_in_order(const Case& c, uint32_t slots_log2, uint32_t hold_back, uint64_t end,
                         unsigned present) {
  StandIn nic(slots_log2, hold_back);
  Pinned<Found> found;
  TestStream stream;
  auto* kernel = c.scope == kThread ? receive_in_order<kThread>
                 : c.scope == kWarp ? receive_in_order<kWarp>
                                    : receive_in_order<kBlock>;
  kernel<<<1, c.threads, 0, stream>>>(nic.queue(), end, c.max, hold_back, c.leaving, found.get());
  EXPECT_TRUE(nic.write_until(end));
  stream.wait();
  EXPECT_EQ(0u, found->errors);
  EXPECT_EQ(end * present, found->packets);
  EXPECT_EQ(end, nic.handle().consumer);
  EXPECT_EQ(0u, nic.handle().inside);
}

TEST(Receive, ThreadGetsEveryPacketInOrderOverManyLaps) {
  for (uint32_t max : {0u, 1u, 3u, 64u}) expect_all_in_order({kThread, 1, max}, 4, 4, 500, 1);
}
TEST(Receive, WarpGetsEveryPacketInOrderOverManyLaps) {
  for (uint32_t max : {0u, 1u, 64u}) expect_all_in_order({kWarp, 32, max}, 4, 4, 300, 32);
}
TEST(Receive, BlockGetsEveryPacketInOrderOverManyLaps) {
  for (uint32_t max : {0u, 3u}) expect_all_in_order({kBlock, 96, max}, 4, 5, 300, 96);
}
TEST(Receive, SmallestQueueAndLargestHoldBackWork) {
  expect_all_in_order({kThread, 1, 0}, 1, 1, 100, 1);
  expect_all_in_order({kThread, 1, 0}, 3, 7, 100, 1);
}
TEST(Receive, DoorbellCounterWrapsAfter65536) {
  expect_all_in_order({kThread, 1, 0}, 8, 64, 70000, 1);
}
TEST(Receive, WarpGoesOnWithoutLanesThatExited) {
  expect_all_in_order({kWarp, 32, 0, 0x1u}, 4, 4, 100, 31);          // lane 0, the first leader
  expect_all_in_order({kWarp, 32, 0, 0x55555555u}, 4, 4, 100, 16);   // every other lane
  expect_all_in_order({kWarp, 32, 0, 0x7fffffffu}, 4, 4, 100, 1);    // all but the last
}
TEST(Receive, BlockGoesOnWithoutThreadsThatExited) {
  expect_all_in_order({kBlock, 96, 0, 0x1u}, 4, 4, 100, 93);         // thread 0 and two more
  expect_all_in_order({kBlock, 96, 0, ~0u}, 4, 4, 100, 64);          // all of the first warp
  expect_all_in_order({kBlock, 64, 0, 0x7fffffffu}, 4, 4, 100, 2);
}

/// One call by one block; says what it brought.
template <doca_gpu_dev_eth_exec_scope kScope>
__global__ void receive_once(doca_gpu_eth_rxq* queue, uint32_t max, uint64_t timeout,
                             Found* found) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  if (threadIdx.x == 0) count = 12345;
  __syncthreads();
  const doca_error_t status =
      receive_all<kScope>(queue, max, timeout, &first, &count, attributes);
  if (threadIdx.x == blockDim.x - 1) {  // not the leader: the status reaches every lane
    found->status = status;
    found->most = count;
  }
}

void launch_once(doca_gpu_dev_eth_exec_scope scope, StandIn& nic, Found* found) {
  switch (scope) {
    case kThread: receive_once<kThread><<<1, 1>>>(nic.queue(), 0, kDeadlineNs, found); break;
    case kWarp: receive_once<kWarp><<<1, 32>>>(nic.queue(), 0, kDeadlineNs, found); break;
    case kBlock: receive_once<kBlock><<<1, 64>>>(nic.queue(), 0, kDeadlineNs, found); break;
  }
  EXPECT_CUDA(cudaDeviceSynchronize());
}

TEST(Receive, TimeoutIsSuccessWithNoPacket) {
  for (uint64_t timeout : {uint64_t{0}, uint64_t{2000000}}) {
    StandIn nic(4, 4);
    Pinned<Found> found;
    receive_once<kThread><<<1, 1>>>(nic.queue(), 0, timeout, found.get());
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(DOCA_SUCCESS, static_cast<int>(found->status));
    EXPECT_EQ(0u, found->most);
  }
}

TEST(Receive, ReturnsWhatIsThereUpToTheLimitAndTheHoldBack) {
  const struct {
    uint64_t written;
    uint32_t max, expected;
  } cases[] = {{1, 0, 1}, {5, 0, 5}, {5, 3, 3}, {12, 0, 8}, {12, 100, 8}};
  for (const auto& c : cases) {
    StandIn nic(5, 8);
    ASSERT_TRUE(nic.write_until(c.written));
    Pinned<Found> found;
    receive_once<kThread><<<1, 1>>>(nic.queue(), c.max, kDeadlineNs, found.get());
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(c.expected, found->most);
  }
}

TEST(Receive, ClosedQueueIsBadStateAtOnce) {
  for (const auto scope : {kThread, kWarp, kBlock}) {
    StandIn nic(4, 4);
    ASSERT_TRUE(nic.write_until(3));
    nic.handle().closed = 1;
    Pinned<Found> found;
    launch_once(scope, nic, found.get());
    EXPECT_EQ(DOCA_ERROR_BAD_STATE, static_cast<int>(found->status));
    EXPECT_EQ(0u, found->most);
    EXPECT_EQ(0u, nic.handle().consumer);
    EXPECT_EQ(0u, nic.handle().inside);
  }
}

TEST(Receive, ClosingEndsAWaitingCall) {
  StandIn nic(4, 4);
  Pinned<Found> found;
  TestStream stream;
  receive_once<kBlock><<<1, 64, 0, stream>>>(nic.queue(), 0, kDeadlineNs, found.get());
  while (warpnic::load_and_fence(&nic.handle().inside) == 0) std::this_thread::yield();
  warpnic::store_and_fence(&nic.handle().closed, 1u);
  stream.wait();
  EXPECT_EQ(DOCA_ERROR_BAD_STATE, static_cast<int>(found->status));
  EXPECT_EQ(0u, nic.handle().inside);
}

TEST(Receive, ErrorCompletionIsAFaultThatStays) {
  StandIn nic(4, 4);
  ASSERT_TRUE(nic.write_until(2));
  nic.write_error(warpnic::kSyndromeLocalProtection);
  Pinned<Found> found;
  receive_once<kBlock><<<1, 64>>>(nic.queue(), 0, kDeadlineNs, found.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(2u, found->most) << "packets before the error are delivered";
  for (const auto scope : {kThread, kWarp, kBlock}) {
    launch_once(scope, nic, found.get());
    EXPECT_EQ(DOCA_ERROR_IO_FAILED, static_cast<int>(found->status));
    EXPECT_EQ(0u, found->most);
  }
  EXPECT_EQ(warpnic::kFaultSet | warpnic::kSyndromeLocalProtection, nic.handle().fault);
  EXPECT_EQ(2u, nic.handle().consumer);
}

TEST(Receive, ASilentNicIsATimeOutAfterTenSeconds) {
  StandIn nic(4, 4);
  Pinned<Found> found;
  const auto begin = std::chrono::steady_clock::now();
  receive_once<kThread><<<1, 1>>>(nic.queue(), 0, kDeadlineNs, found.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(DOCA_ERROR_TIME_OUT, static_cast<int>(found->status));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

/// Several blocks on one queue. They look at attributes only: payload may be overwritten once the
/// others have received as many packets as are held back.
__global__ void receive_shared(doca_gpu_eth_rxq* queue, uint64_t end, unsigned int* seen,
                               unsigned long long* taken, Found* found) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  const uint64_t deadline = warpnic::now_ns() + kDeadlineNs;
  while (warpnic::now_ns() < deadline) {
    if (receive_all<kThread>(queue, 0, kTimeoutNs, &first, &count, attributes) != DOCA_SUCCESS) {
      atomicAdd(&found->errors, 1ull);
      return;
    }
    for (uint32_t i = 0; i < count; ++i) {
      atomicAdd(&seen[first + i], 1u);
      if (attributes[i].bytes != packet_bytes(first + i) ||
          attributes[i].timestamp_ns != packet_time(first + i)) {
        atomicAdd(&found->errors, 1ull);
      }
    }
    if (count != 0) atomicAdd(&found->calls, 1ull);
    if (atomicAdd(taken, static_cast<unsigned long long>(count)) + count >= end) return;
  }
}

TEST(Receive, BlocksThatShareAQueueGetEachPacketOnce) {
  constexpr uint64_t kEnd = 3000;
  StandIn nic(4, 4);
  Pinned<unsigned int> seen(kEnd);
  Pinned<unsigned long long> taken;
  Pinned<Found> found;
  TestStream stream;
  receive_shared<<<3, 1, 0, stream>>>(nic.queue(), kEnd, seen.get(), taken.get(), found.get());
  EXPECT_TRUE(nic.write_until(kEnd));
  stream.wait();
  EXPECT_EQ(0u, found->errors);
  for (uint64_t i = 0; i < kEnd; ++i) ASSERT_EQ(1u, seen[i]) << "packet " << i;
  EXPECT_EQ(kEnd, nic.handle().released);
}

__global__ void ask(doca_gpu_eth_rxq* queue, uint64_t* out) {
  out[threadIdx.x] = doca_gpu_dev_eth_get_lane_id();
  if (threadIdx.x == 0) {
    out[40] = doca_gpu_dev_eth_rxq_get_pkt_mkey(queue);
    out[41] = doca_gpu_dev_eth_rxq_get_pkt_addr(queue, 3);
    out[42] = doca_gpu_dev_eth_rxq_get_pkt_addr(queue, 3 + 16 * 1000000ull);
  }
}

TEST(Receive, AddressesWrapAndKeyAndLaneAreTold) {
  StandIn nic(4, 4);
  Pinned<uint64_t> out(64);
  ask<<<1, 40>>>(nic.queue(), out.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  for (uint64_t i = 0; i < 40; ++i) EXPECT_EQ(i % 32, out[i]);
  EXPECT_EQ(0x12345678u, out[40]);
  EXPECT_EQ(nic.handle().packets + 3 * StandIn::kStride, out[41]);
  EXPECT_EQ(out[41], out[42]);
}

}  // namespace
