// SPDX-License-Identifier: Apache-2.0
// How calls of doca_gpu_dev_eth_rxq_recv end, and what they hand over: time, limits, a closed
// queue, a fault, a silent NIC; the next receiver's turn, and the host that takes a queue away.
#include "receive_kit.h"

namespace {

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

void launch_once(doca_gpu_dev_eth_exec_scope scope, StandIn& nic, Found* found,
                 uint64_t timeout = kDeadlineNs, cudaStream_t stream = nullptr) {
  auto* queue = nic.queue();
  switch (scope) {
    case kThread: receive_once<kThread><<<1, 1, 0, stream>>>(queue, 0, timeout, found); break;
    case kWarp: receive_once<kWarp><<<1, 32, 0, stream>>>(queue, 0, timeout, found); break;
    case kBlock: receive_once<kBlock><<<1, 64, 0, stream>>>(queue, 0, timeout, found); break;
  }
}

TEST(ReceiveEnd, TimeOverIsSuccessWithNoPacket) {
  for (const auto scope : {kThread, kWarp, kBlock}) {
    for (uint64_t timeout : {uint64_t{0}, uint64_t{2000000}}) {
      StandIn nic(4, 4);
      Pinned<Found> found;
      launch_once(scope, nic, found.get(), timeout);
      EXPECT_CUDA(cudaDeviceSynchronize());
      EXPECT_EQ(DOCA_SUCCESS, static_cast<int>(found->status));
      EXPECT_EQ(0u, found->most);
      EXPECT_EQ(0u, nic.handle().inside);
    }
  }
}

TEST(ReceiveEnd, CallWaitsAsLongAsItWasToldTo) {
  StandIn nic(4, 4);
  Pinned<Found> found;
  const auto begin = std::chrono::steady_clock::now();
  launch_once(kThread, nic, found.get(), 50000000);
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
}

TEST(ReceiveEnd, ReturnsWhatIsThereUpToTheLimitAndTheHoldBack) {
  const struct {
    uint64_t written;
    uint32_t max, expected;
  } cases[] = {{1, 0, 1}, {5, 0, 5}, {5, 1, 1}, {5, 3, 3}, {12, 0, 8}, {12, 64, 8}};
  for (const auto& c : cases) {
    StandIn nic(5, 8);
    ASSERT_TRUE(nic.write_until(c.written));
    Pinned<Found> found;
    receive_once<kThread><<<1, 1>>>(nic.queue(), c.max, kDeadlineNs, found.get());
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(c.expected, found->most);
  }
}

TEST(ReceiveEnd, ClosedQueueIsBadStateAtOnce) {
  for (const auto scope : {kThread, kWarp, kBlock}) {
    StandIn nic(4, 4);
    ASSERT_TRUE(nic.write_until(3));
    nic.handle().closed = 1;
    Pinned<Found> found;
    launch_once(scope, nic, found.get());
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(DOCA_ERROR_BAD_STATE, static_cast<int>(found->status));
    EXPECT_EQ(0u, found->most);
    EXPECT_EQ(0u, nic.handle().consumer);
    EXPECT_EQ(0u, nic.handle().inside);
  }
}

/// True once `inside` says whether somebody is in there.
bool wait_inside(StandIn& nic, bool somebody) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(90);
  while ((warpnic::load_and_fence(&nic.handle().inside) != 0) != somebody) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(ReceiveEnd, ClosingEndsAWaitingCall) {
  for (const auto scope : {kThread, kWarp, kBlock}) {
    StandIn nic(4, 4);
    Pinned<Found> found;
    TestStream stream;
    launch_once(scope, nic, found.get(), kDeadlineNs, stream);
    EXPECT_TRUE(wait_inside(nic, true));
    warpnic::store_and_fence(&nic.handle().closed, 1u);
    stream.wait();
    EXPECT_EQ(DOCA_ERROR_BAD_STATE, static_cast<int>(found->status));
    EXPECT_EQ(0u, found->most);
    EXPECT_EQ(0u, nic.handle().inside);
  }
}

TEST(ReceiveEnd, WhenNobodyIsInsideTheQueueIsTheHosts) {
  StandIn nic(4, 4);
  Pinned<Found> found;
  TestStream stream;
  launch_once(kThread, nic, found.get(), kDeadlineNs, stream);
  EXPECT_TRUE(wait_inside(nic, true));
  warpnic::store_and_fence(&nic.handle().closed, 1u);
  EXPECT_TRUE(wait_inside(nic, false));
  // ThreadSanitizer sees these race with what the kernel read, unless leaving hands it over.
  nic.handle().completions = nullptr;
  nic.handle().heartbeat = nullptr;
  nic.handle().slots_log2 = 0;
  nic.handle().hold_back = 0;
  stream.wait();
  EXPECT_EQ(DOCA_ERROR_BAD_STATE, static_cast<int>(found->status));
}

TEST(ReceiveEnd, ErrorCompletionIsAFaultThatStays) {
  StandIn nic(4, 4);
  ASSERT_TRUE(nic.write_until(2));
  nic.write_error(warpnic::kSyndromeLocalProtection, 0x5a);
  Pinned<Found> found;
  receive_once<kBlock><<<1, 64>>>(nic.queue(), 0, kDeadlineNs, found.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(2u, found->most) << "packets before the error are delivered";
  for (const auto scope : {kThread, kWarp, kBlock}) {
    launch_once(scope, nic, found.get());
    EXPECT_CUDA(cudaDeviceSynchronize());
    EXPECT_EQ(DOCA_ERROR_IO_FAILED, static_cast<int>(found->status));
    EXPECT_EQ(0u, found->most);
  }
  EXPECT_EQ(warpnic::kFaultSet | 0x5a00 | warpnic::kSyndromeLocalProtection, nic.handle().fault);
  EXPECT_EQ(2u, nic.handle().consumer);
  EXPECT_EQ(0u, nic.handle().inside);
}

TEST(ReceiveEnd, TheFirstFaultStays) {
  // Two receivers may find errors at the same time; the later one must not hide the first.
  StandIn nic(4, 4);
  for (const auto syndrome : {warpnic::kSyndromeLocalProtection, warpnic::kSyndromeFlushed}) {
    warpnic::Completion entry{};
    entry.timestamp = warpnic::Big<uint64_t>::of(0x5a00u | syndrome);  // bytes 54 and 55
    warpnic::receive_set_fault(nic.handle(), entry);
  }
  EXPECT_EQ(warpnic::kFaultSet | 0x5a00 | warpnic::kSyndromeLocalProtection, nic.handle().fault);
}

TEST(ReceiveEnd, ASilentNicIsATimeOutAfterTenSeconds) {
  StandIn nic(4, 4);
  Pinned<Found> found;
  const auto begin = std::chrono::steady_clock::now();
  launch_once(kThread, nic, found.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  EXPECT_EQ(DOCA_ERROR_TIME_OUT, static_cast<int>(found->status));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

constexpr uint64_t kMs = 1000 * 1000;

TEST(Silence, ANicThatBeatsIsNeverDead) {
  warpnic::Silence silence(0, 0);
  for (uint64_t i = 1; i < 1000; ++i) EXPECT_FALSE(silence.look(i * 90 * kMs, i / 100));
}
TEST(Silence, TenSecondsOfLooksAreNeeded) {
  warpnic::Silence silence(0, 0);
  uint64_t i = 1;
  while (!silence.look(i * 90 * kMs, 0)) ASSERT_LT(++i, 1000u);
  EXPECT_EQ(10000 / 90 + 1, i);
}
TEST(Silence, AProcessThatWasStoppedDoesNotFindItsNicDead) {
  constexpr uint64_t kHour = 3600 * 1000 * kMs;
  warpnic::Silence silence(0, 0);
  EXPECT_FALSE(silence.look(kHour, 0));
  EXPECT_FALSE(silence.look(2 * kHour, 0));
}
TEST(Silence, AClockThatIsSetBackDoesNoHarm) {
  constexpr uint64_t kHour = 3600 * 1000 * kMs;
  warpnic::Silence silence(kHour, 0);
  EXPECT_TRUE(silence.is_due(0)) << "looks go on at the new time";
  EXPECT_FALSE(silence.look(0, 0));
  EXPECT_FALSE(silence.is_due(kMs / 2));
  EXPECT_TRUE(silence.is_due(kMs));
}

/// Two receivers whose calls overlap: the second has claimed before the first returns its slots.
/// `claimed` counts claims, by own value only.
__global__ void return_in_turn(doca_gpu_eth_rxq* rxq, uint32_t* claimed, Found* found) {
  using namespace warpnic;
  const ReceiveView view(*reinterpret_cast<ReceiveHandle*>(rxq));
  const uint64_t deadline = now_ns() + kDeadlineNs;
  while (peek(claimed) < blockIdx.x && now_ns() < deadline) relax();
  Received packets;
  receive_claim(view, 2, &packets);
  doca_gpu_dev_eth_rxq_attr attributes[2];
  receive_attributes<DOCA_GPUNETIO_ETH_RX_ATTR_ALL>(view, packets, attributes);
  for (uint32_t i = 0; i < packets.count; ++i) {
    if (!attributes_are_right(attributes[i], packets.first + i)) atomicAdd(&found->errors, 1ull);
  }
  if (packets.first != 2 * blockIdx.x || packets.count != 2) atomicAdd(&found->errors, 1ull);
  claim(claimed, 1u);
  while (peek(claimed) < 2 && now_ns() < deadline) relax();
  receive_return(view, packets);
}

TEST(ReceiveEnd, TheDoorbellOfTheNextReceiverHandsOverWhatTheOneBeforeHasRead) {
  StandIn nic(3, 2);
  ASSERT_TRUE(nic.write_until(4));
  Pinned<uint32_t> claimed;
  Pinned<Found> found;
  TestStream stream;
  return_in_turn<<<2, 1, 0, stream>>>(nic.queue(), claimed.get(), found.get());
  // Looks at the doorbell only when the second has rung it, which frees the slots of the first:
  // ThreadSanitizer sees the writes race with what the first read, unless the turn hands it over.
  EXPECT_TRUE(nic.await_limit_unseen(10));
  EXPECT_TRUE(nic.write_until(10));
  stream.wait();
  EXPECT_EQ(0u, found->errors);
  EXPECT_EQ(4u, nic.handle().released);
}

}  // namespace
