// SPDX-License-Identifier: Apache-2.0
// doca_gpu_dev_eth_rxq_recv against a stand-in for the NIC: which packets come, in which order, to
// whom, in all three scopes. Kernels end by themselves: each has a deadline.
#include "receive_kit.h"

namespace {

/// Which threads go, and when: a thread leaves before the first call if its bit (of 32) is set, and
/// before call number `lasting` + its number. ~0 keeps all but the threads of the first warp.
struct Leaving {
  uint32_t at_once = 0;
  uint32_t lasting = ~0u;

  __device__ bool begins() const {
    if (at_once == ~0u) return threadIdx.x >= 32;
    return ((at_once >> (threadIdx.x % 32)) & 1u) == 0;
  }
  __device__ bool stays(uint32_t call) const {
    return lasting == ~0u || threadIdx.x == blockDim.x - 1 || call < lasting + threadIdx.x;
  }
};

/// The only receiver: packets come whole, in order, and stay whole for the hold-back.
template <doca_gpu_dev_eth_exec_scope kScope>
__global__ void receive_in_order(doca_gpu_eth_rxq* queue, uint64_t start, uint64_t end,
                                 uint32_t max, uint32_t hold_back, Leaving leaving, Found* found) {
  if (!leaving.begins()) return;
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  const uint64_t deadline = warpnic::now_ns() + kDeadlineNs;
  uint64_t next = start;
  for (uint32_t call = 0; next < end && warpnic::now_ns() < deadline; ++call) {
    if (!leaving.stays(call)) return;
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
      if (!attributes_are_right(attributes[i], begin + i)) ++errors;
    }
    next = begin + packets;
    if (next >= start + hold_back && !packet_is_whole(queue, next - hold_back)) ++errors;
    if (errors != 0) atomicAdd(&found->errors, errors);
    atomicMax(&found->most, packets);
  }
  if (next != end) atomicAdd(&found->errors, 1ull);
  atomicAdd(&found->packets, static_cast<unsigned long long>(next - start));
}

struct Case {
  doca_gpu_dev_eth_exec_scope scope;
  unsigned threads;
  uint32_t max;
  Leaving leaving = {};
};

/// `present`: threads that are there at the end.
void expect_all_in_order(const Case& c, uint32_t slots_log2, uint32_t hold_back, uint64_t packets,
                         unsigned present, uint64_t start = 0) {
  const uint64_t end = start + packets;
  StandIn nic(slots_log2, hold_back, start);
  Pinned<Found> found;
  TestStream stream;
  auto* kernel = c.scope == kThread ? receive_in_order<kThread>
                 : c.scope == kWarp ? receive_in_order<kWarp>
                                    : receive_in_order<kBlock>;
  kernel<<<1, c.threads, 0, stream>>>(nic.queue(), start, end, c.max, hold_back, c.leaving,
                                      found.get());
  EXPECT_TRUE(nic.write_until(end));
  stream.wait();
  EXPECT_EQ(0u, found->errors);
  EXPECT_EQ(packets * present, found->packets);
  EXPECT_EQ(end, nic.handle().consumer);
  EXPECT_EQ(0u, nic.handle().inside);
}

TEST(Receive, OnePacketComes) {
  expect_all_in_order({kThread, 1, 0}, 4, 4, 1, 1);
  expect_all_in_order({kWarp, 32, 0}, 4, 4, 1, 32);
  expect_all_in_order({kBlock, 96, 0}, 4, 4, 1, 96);
}
TEST(Receive, ThreadGetsEveryPacketInOrderOverManyLaps) {
  for (uint32_t max : {0u, 1u, 3u, 64u}) expect_all_in_order({kThread, 1, max}, 4, 4, 500, 1);
}
TEST(Receive, WarpGetsEveryPacketInOrderOverManyLaps) {
  for (uint32_t max : {0u, 1u, 64u}) expect_all_in_order({kWarp, 32, max}, 4, 4, 300, 32);
}
TEST(Receive, BlockGetsEveryPacketInOrderOverManyLaps) {
  for (uint32_t max : {0u, 3u, 64u}) expect_all_in_order({kBlock, 96, max}, 4, 5, 300, 96);
}
TEST(Receive, CallsOfManyPacketsAreInOrder) {
  expect_all_in_order({kThread, 1, 0}, 8, 250, 5000, 1);
  expect_all_in_order({kBlock, 64, 64}, 8, 128, 1000, 64);
}
TEST(Receive, SmallestQueueAndLargestHoldBackWork) {
  expect_all_in_order({kThread, 1, 0}, 1, 1, 100, 1);
  expect_all_in_order({kThread, 1, 0}, 3, 7, 100, 1);
}
TEST(Receive, DoorbellCounterWrapsAfter65536) {
  expect_all_in_order({kThread, 1, 0}, 8, 64, 70000, 1);
}
TEST(Receive, IndicesGoOnBeyond32Bits) {
  for (uint64_t start : {(uint64_t{1} << 32) - 100, (uint64_t{1} << 48) - 100}) {
    expect_all_in_order({kThread, 1, 0}, 4, 4, 200, 1, start);
    expect_all_in_order({kBlock, 64, 0}, 4, 4, 200, 64, start);
  }
}
TEST(Receive, WarpGoesOnWithoutLanesThatExited) {
  expect_all_in_order({kWarp, 32, 0, {0x1u}}, 4, 4, 100, 31);         // lane 0, the first leader
  expect_all_in_order({kWarp, 32, 0, {0x55555555u}}, 4, 4, 100, 16);  // every other lane
  expect_all_in_order({kWarp, 32, 0, {0x0000ffffu}}, 4, 4, 100, 16);  // half
  expect_all_in_order({kWarp, 32, 0, {0x7fffffffu}}, 4, 4, 100, 1);   // all but the last
}
TEST(Receive, BlockGoesOnWithoutThreadsThatExited) {
  expect_all_in_order({kBlock, 96, 0, {0x1u}}, 4, 4, 100, 93);  // thread 0 and two more
  expect_all_in_order({kBlock, 96, 0, {0x0000ffffu}}, 4, 4, 100, 48);
  expect_all_in_order({kBlock, 96, 0, {~0u}}, 4, 4, 100, 64);  // all of the first warp
  expect_all_in_order({kBlock, 64, 0, {0x7fffffffu}}, 4, 4, 100, 2);
}
TEST(Receive, LeadersMayExitBetweenCalls) {
  // Up to four packets a call, so at least 75 calls: all but the last thread have gone by then.
  expect_all_in_order({kWarp, 32, 0, {0, 1}}, 4, 4, 300, 1);
  expect_all_in_order({kBlock, 64, 0, {0, 1}}, 4, 4, 300, 1);
}

/// Looks at all packets that may still be read, each time when the NIC has gone as far as it may.
__global__ void receive_behind(doca_gpu_eth_rxq* queue, uint64_t end, uint32_t slots,
                               uint32_t hold_back, const uint64_t* written, Found* found) {
  const uint64_t deadline = warpnic::now_ns() + kDeadlineNs;
  uint64_t first = 0, next = 0;
  uint32_t count = 0;
  doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  while (next < end && warpnic::now_ns() < deadline) {
    if (receive_all<kThread>(queue, 3, kTimeoutNs, &first, &count, attributes) != DOCA_SUCCESS) {
      ++found->errors;
      return;
    }
    next += count;
    const uint64_t limit = next + slots - hold_back;
    while (warpnic::observe<warpnic::Point::kUser>(written) < (limit < end ? limit : end) &&
           warpnic::now_ns() < deadline) {
      warpnic::relax();
    }
    for (uint64_t i = next < hold_back ? 0 : next - hold_back; i < next; ++i) {
      if (!packet_is_whole(queue, i)) ++found->errors;
    }
    // The slot before those is the NIC's, and it has used it: else the doorbell is too cautious.
    if (limit <= end && next > hold_back && packet_is_whole(queue, next - hold_back - 1)) {
      ++found->errors;
    }
  }
  found->packets = next;
}

TEST(Receive, HoldBackKeepsPacketsThoughTheNicGoesAsFarAsItMay) {
  constexpr uint64_t kEnd = 400;
  for (uint32_t hold_back : {1u, 4u, 12u, 15u}) {
    StandIn nic(4, hold_back);
    Pinned<Found> found;
    TestStream stream;
    receive_behind<<<1, 1, 0, stream>>>(nic.queue(), kEnd, 16, hold_back, nic.written(),
                                        found.get());
    EXPECT_TRUE(nic.write_until(kEnd));
    stream.wait();
    EXPECT_EQ(0u, found->errors) << "hold-back " << hold_back;
    EXPECT_EQ(kEnd, found->packets);
  }
}

/// Several receivers on one queue. They look at attributes only: payload may be overwritten once
/// the others have received as many packets as are held back.
template <doca_gpu_dev_eth_exec_scope kScope>
__global__ void receive_shared(doca_gpu_eth_rxq* queue, uint64_t end, unsigned int* seen,
                               unsigned long long* taken, Found* found) {
  __shared__ uint64_t first;
  __shared__ uint32_t count;
  __shared__ bool done;
  __shared__ doca_gpu_dev_eth_rxq_attr attributes[kMostPackets];
  const uint64_t deadline = warpnic::now_ns() + kDeadlineNs;
  while (true) {
    if (receive_all<kScope>(queue, 0, kTimeoutNs, &first, &count, attributes) != DOCA_SUCCESS) {
      atomicAdd(&found->errors, 1ull);
      return;
    }
    if (threadIdx.x == 0) {
      for (uint32_t i = 0; i < count; ++i) {
        atomicAdd(&seen[first + i], 1u);
        if (!attributes_are_right(attributes[i], first + i)) atomicAdd(&found->errors, 1ull);
      }
      if (count != 0) atomicAdd(&found->calls, 1ull);
      done = atomicAdd(taken, static_cast<unsigned long long>(count)) + count >= end ||
             warpnic::now_ns() > deadline;
    }
    __syncthreads();
    if (done) return;
  }
}

TEST(Receive, ReceiversThatShareAQueueGetEachPacketOnce) {
  constexpr uint64_t kEnd = 2000;
  struct Kernels {
    unsigned thread_blocks, warp_blocks, block_blocks;
  };
  for (const Kernels& k : {Kernels{3, 0, 0}, Kernels{0, 3, 0}, Kernels{0, 0, 3},
                           Kernels{1, 1, 1}}) {
    StandIn nic(4, 4);
    Pinned<unsigned int> seen(kEnd);
    Pinned<unsigned long long> taken;
    Pinned<Found> found;
    TestStream one, two, three;
    if (k.thread_blocks != 0) {
      receive_shared<kThread><<<k.thread_blocks, 1, 0, one>>>(nic.queue(), kEnd, seen.get(),
                                                              taken.get(), found.get());
    }
    if (k.warp_blocks != 0) {
      receive_shared<kWarp><<<k.warp_blocks, 32, 0, two>>>(nic.queue(), kEnd, seen.get(),
                                                           taken.get(), found.get());
    }
    if (k.block_blocks != 0) {
      receive_shared<kBlock><<<k.block_blocks, 64, 0, three>>>(nic.queue(), kEnd, seen.get(),
                                                               taken.get(), found.get());
    }
    EXPECT_TRUE(nic.write_until(kEnd));
    for (TestStream* stream : {&one, &two, &three}) stream->wait();
    EXPECT_EQ(0u, found->errors);
    for (uint64_t i = 0; i < kEnd; ++i) ASSERT_EQ(1u, seen[i]) << "packet " << i;
    EXPECT_EQ(kEnd, nic.handle().released);
    EXPECT_EQ(0u, nic.handle().inside);
  }
}

/// Each way to ask for attributes, one call each, 2 packets a call. Entries begin as all ones.
__global__ void ask_attributes(doca_gpu_eth_rxq* queue, doca_gpu_dev_eth_rxq_attr (*out)[2],
                               int* statuses) {
  constexpr auto mcst_off = DOCA_GPUNETIO_ETH_MCST_DISABLED;
  constexpr auto mcst_on = DOCA_GPUNETIO_ETH_MCST_ENABLED;
  constexpr auto mcst_auto = DOCA_GPUNETIO_ETH_MCST_AUTO;
  constexpr auto own = DOCA_GPUNETIO_ETH_NIC_HANDLER_GPU_SM_DB;
  constexpr auto any = DOCA_GPUNETIO_ETH_NIC_HANDLER_AUTO;
  uint64_t first;
  uint32_t count;
  statuses[0] = doca_gpu_dev_eth_rxq_recv<kThread>(queue, 2, 0, &first, &count, out[0]);
  statuses[1] = doca_gpu_dev_eth_rxq_recv<kThread, mcst_off, own, DOCA_GPUNETIO_ETH_RX_ATTR_NONE>(
      queue, 2, 0, &first, &count, out[1]);
  statuses[2] = doca_gpu_dev_eth_rxq_recv<kThread, mcst_on, any, DOCA_GPUNETIO_ETH_RX_ATTR_BYTES>(
      queue, 2, 0, &first, &count, out[2]);
  statuses[3] =
      doca_gpu_dev_eth_rxq_recv<kThread, mcst_auto, any, DOCA_GPUNETIO_ETH_RX_ATTR_TIMESTAMP>(
          queue, 2, 0, &first, &count, out[3]);
  statuses[4] = doca_gpu_dev_eth_rxq_recv<kThread, mcst_auto, any, true>(queue, 2, 0, &first,
                                                                         &count, out[4]);
  statuses[5] = doca_gpu_dev_eth_rxq_recv<kThread, mcst_auto, any, false>(queue, 2, 0, &first,
                                                                          &count, out[5]);
  statuses[6] = doca_gpu_dev_eth_rxq_recv<kThread, mcst_auto, any, true>(queue, 2, 0, &first,
                                                                         &count, nullptr);
}

TEST(Receive, AttributesAskedForAreFilledAndOthersLeftAlone) {
  StandIn nic(5, 4);
  ASSERT_TRUE(nic.write_until(14));
  Pinned<doca_gpu_dev_eth_rxq_attr[2]> out(6);
  memset(static_cast<void*>(out.get()), 0xff, 6 * sizeof out[0]);
  Pinned<int> statuses(7);
  ask_attributes<<<1, 1>>>(nic.queue(), out.get(), statuses.get());
  EXPECT_CUDA(cudaDeviceSynchronize());
  const bool bytes[] = {false, false, true, false, true, false};
  const bool times[] = {false, false, false, true, true, false};
  for (unsigned call = 0; call < 6; ++call) {
    EXPECT_EQ(DOCA_SUCCESS, statuses[call]);
    for (unsigned i = 0; i < 2; ++i) {
      const uint64_t index = 2 * call + i;
      EXPECT_EQ(bytes[call] ? packet_bytes(index) : ~0u, out[call][i].bytes) << index;
      EXPECT_EQ(times[call] ? packet_time(index) : ~0ull, out[call][i].timestamp_ns) << index;
    }
  }
  EXPECT_EQ(DOCA_SUCCESS, statuses[6]);
  EXPECT_EQ(14u, nic.handle().consumer);
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
