// SPDX-License-Identifier: Apache-2.0
#include "nic/virtual/link/gen.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "nic/virtual/link/rings.h"
#include "warpnic/port/wait.h"

namespace warpnic {
namespace {

constexpr uint32_t kRingEntries = 1024;
constexpr uint64_t kMostAreaBytes = uint64_t{1} << 30;
/// The "simple IMIX" of router tests, without FCS: 7 small, 4 middle, 1 long frame.
constexpr uint32_t kImix[12] = {60, 590, 60, 60, 590, 60, 1514, 60, 590, 60, 590, 60};

/// splitmix64 (public domain, Vigna): a good small generator.
uint64_t next_random(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

void put16(uint8_t* p, uint32_t v) {
  p[0] = static_cast<uint8_t>(v >> 8);
  p[1] = static_cast<uint8_t>(v);
}
void put32(uint8_t* p, uint32_t v) {
  put16(p, v >> 16);
  put16(p + 2, v & 0xffff);
}

uint32_t sum_words(const uint8_t* p, size_t bytes, uint32_t sum) {
  for (size_t i = 0; i + 1 < bytes; i += 2) sum += static_cast<uint32_t>(p[i] << 8 | p[i + 1]);
  if (bytes % 2) sum += static_cast<uint32_t>(p[bytes - 1] << 8);
  return sum;
}
uint32_t checksum(uint32_t sum) {
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return ~sum & 0xffff;
}

/// One frame of a flow: Ethernet, IPv4, and UDP, TCP or ICMP echo, all checksums right.
std::vector<uint8_t> make_frame(uint32_t flow, uint32_t bytes, uint8_t protocol, uint64_t random) {
  std::vector<uint8_t> frame(bytes, 0);
  const uint8_t addresses[12] = {0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0, 0x01};
  std::memcpy(frame.data(), addresses, sizeof addresses);
  put16(&frame[12], 0x0800);
  uint8_t* ip = &frame[14];
  const uint32_t ip_bytes = bytes - 14;
  ip[0] = 0x45;
  put16(ip + 2, ip_bytes);
  put16(ip + 6, 0x4000);
  ip[8] = 64;
  ip[9] = protocol;
  put32(ip + 12, 0x0a000000u | (flow & 0x00ffffffu));
  put32(ip + 16, 0xc6120000u | static_cast<uint32_t>(random >> 48));  // 198.18.0.0/15: benchmarks
  put16(ip + 10, checksum(sum_words(ip, 20, 0)));
  uint8_t* transport = ip + 20;
  const uint32_t transport_bytes = ip_bytes - 20;
  const uint32_t pseudo = sum_words(ip + 12, 8, 0) + protocol + transport_bytes;
  if (protocol == 1) {
    transport[0] = 8;
    put16(transport + 4, flow & 0xffff);
    put16(transport + 2, checksum(sum_words(transport, transport_bytes, 0)));
    return frame;
  }
  put16(transport, 1024 + static_cast<uint32_t>(random & 0x7fff));
  put16(transport + 2, protocol == 17 ? 5000 : 80);
  if (protocol == 17) {
    put16(transport + 4, transport_bytes);
    const uint32_t sum = checksum(sum_words(transport, transport_bytes, pseudo));
    put16(transport + 6, sum == 0 ? 0xffff : sum);
  } else {
    transport[12] = 0x50;
    transport[13] = 0x10;  // ACK
    put16(transport + 14, 0xffff);
    put16(transport + 16, checksum(sum_words(transport, transport_bytes, pseudo)));
  }
  return frame;
}

class GenLink final : public Link {
 public:
  explicit GenLink(const GenOptions& options)
      : options_(options), random_(options.seed), ring_(kRingEntries) {
    std::vector<uint32_t> sizes = {options.size};
    if (options.size == 0) sizes = {60, 590, 1514};
    std::vector<uint8_t> protocols;
    if (options.udp) protocols.push_back(17);
    if (options.tcp) protocols.push_back(6);
    if (options.icmp) protocols.push_back(1);
    for (uint32_t flow = 0; flow < options.flows; ++flow) {
      const uint64_t random = next_random(random_);
      for (const uint32_t size : sizes) {
        const auto frame = make_frame(flow, size, protocols[flow % protocols.size()], random);
        frames_.push_back(area_.add(frame.data(), size, nullptr));
      }
    }
    port_.rx = ring_.ring();
    port_.area = area_.data();
    port_.area_bytes = area_.bytes();
  }

  const WirePort& port() const override { return port_; }
  bool lossless() const override { return options_.rate == 0; }
  bool ended() const override { return ended_.load(std::memory_order_acquire); }

  bool pump() override {
    uint64_t due = ring_.room();
    if (options_.rate != 0) due = std::min(due, due_by_rate());
    if (options_.count != 0) due = std::min(due, options_.count - sent_);
    for (uint64_t i = 0; i < due; ++i) ring_.fill(frames_[choose()]);
    if (due != 0) ring_.publish_filled();
    sent_ += due;
    if (options_.count != 0 && sent_ == options_.count) {
      ended_.store(true, std::memory_order_release);
    }
    return due != 0;
  }

 private:
  uint64_t due_by_rate() {
    const uint64_t now = now_ns();
    if (start_ns_ == 0) start_ns_ = now;
    const unsigned __int128 all = static_cast<unsigned __int128>(now - start_ns_) * options_.rate;
    return static_cast<uint64_t>(all / 1000000000u) - sent_;
  }
  size_t choose() {
    const uint64_t flow =
        options_.flows == 1 ? 0 : (next_random(random_) >> 32) * options_.flows >> 32;
    if (options_.size != 0) return flow;
    const uint32_t size = kImix[imix_++ % 12];
    return flow * 3 + (size == 60 ? 0 : size == 590 ? 1 : 2);
  }

  GenOptions options_;
  uint64_t random_;
  RxRing ring_;
  FrameArea area_;
  std::vector<WireDescriptor> frames_;
  WirePort port_{};
  uint64_t sent_ = 0;
  uint64_t start_ns_ = 0;
  uint32_t imix_ = 0;
  std::atomic<bool> ended_{false};
};

}  // namespace

Result<std::unique_ptr<Link>> open_gen_link(const GenOptions& options) {
  const uint64_t one = options.size == 0 ? 64 + 640 + 1536 : (options.size + 63) / 64 * 64;
  if (one * options.flows > kMostAreaBytes) {
    return Status(DOCA_ERROR_NO_MEMORY,
                  "flows=" + std::to_string(options.flows) +
                      " of this size would need more than 1 GiB of frames; ask for fewer flows or "
                      "shorter frames");
  }
  return std::unique_ptr<Link>(std::make_unique<GenLink>(options));
}

}  // namespace warpnic
