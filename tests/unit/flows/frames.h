// SPDX-License-Identifier: Apache-2.0
// Frames for the tests, put together header by header, and memory that ends where a frame ends.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

namespace flows {

using Bytes = std::vector<uint8_t>;

inline Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline Bytes big16(unsigned value) {
  return {static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value)};
}

inline Bytes zeros(size_t count) { return Bytes(count, 0); }

/// Ethernet addresses, then the types in order: a tag's control information stands between them.
inline Bytes ethernet(std::initializer_list<unsigned> types) {
  Bytes frame = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
  bool first = true;
  for (const unsigned type : types) {
    if (!first) frame = frame + big16(5);
    first = false;
    frame = frame + big16(type);
  }
  return frame;
}

struct Ipv4 {
  uint8_t protocol = 17;
  unsigned total = 0;      ///< 0: "to the end of the frame"
  unsigned words = 5;      ///< header length field
  unsigned fragment = 0;   ///< flags and offset
  uint8_t version = 4;
};

/// 10.0.0.1 to 10.0.0.2. Always 20 bytes, whatever the header length field says.
inline Bytes ipv4(const Ipv4& f) {
  Bytes header = {static_cast<uint8_t>(f.version << 4 | f.words), 0};
  header = header + big16(f.total) + big16(0x1234) + big16(f.fragment);
  return header + Bytes{64, f.protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
}

/// fd00::1 to fd00::2.
inline Bytes ipv6(uint8_t next, unsigned payload, uint8_t version = 6) {
  Bytes header = Bytes{static_cast<uint8_t>(version << 4), 0, 0, 0} + big16(payload);
  header = header + Bytes{next, 64};
  for (const uint8_t last : {1, 2}) header = header + Bytes{0xfd} + zeros(14) + Bytes{last};
  return header;
}

/// Ports 1234 and 53 and the rest of a transport header of `bytes` bytes.
inline Bytes ports(size_t bytes) {
  return big16(1234) + big16(53) + zeros(bytes - 4);
}

/// A copy of a frame whose last byte is the last one that may be read: behind it the process dies.
class Guarded {
 public:
  explicit Guarded(size_t most_bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    room_ = (most_bytes + page - 1) / page * page;
    mapped_ = room_ + page;
    start_ = static_cast<uint8_t*>(
        mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(MAP_FAILED, static_cast<void*>(start_));
    EXPECT_EQ(0, mprotect(start_ + room_, page, PROT_NONE));
  }
  ~Guarded() { munmap(start_, mapped_); }
  Guarded(const Guarded&) = delete;
  const uint8_t* put(const uint8_t* frame, size_t bytes) {
    if (bytes) std::memcpy(start_ + room_ - bytes, frame, bytes);
    return start_ + room_ - bytes;
  }

 private:
  uint8_t* start_;
  size_t room_;
  size_t mapped_;
};

}  // namespace flows
