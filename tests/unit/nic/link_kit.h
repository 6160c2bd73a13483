// SPDX-License-Identifier: Apache-2.0
// Takes frames out of a link without an engine, and writes capture files byte by byte.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "nic/virtual/link/link.h"
#include "warpnic/port/order.h"

namespace warpnic::test {

struct Taken {
  std::vector<uint8_t> bytes;
  uint64_t address = 0;
  bool has_note = false;
  FrameNote note{};
};

/// Takes up to `most` frames. A link that has none due returns fewer.
inline std::vector<Taken> take_frames(Link& link, size_t most) {
  std::vector<Taken> frames;
  const WirePort& port = link.port();
  while (frames.size() < most) {
    const bool moved = link.pump();
    uint32_t consumer = peek(port.rx.consumer);
    const uint32_t producer = observe<Point::kWireRxProducer>(port.rx.producer);
    if (!moved && consumer == producer) break;
    EXPECT_LE(producer - consumer, port.rx.mask + 1);
    for (; consumer != producer && frames.size() < most; ++consumer) {
      const WireDescriptor& descriptor = port.rx.entries[consumer & port.rx.mask];
      EXPECT_LE(descriptor.addr + descriptor.len, port.area_bytes);
      Taken frame;
      frame.address = descriptor.addr;
      const uint8_t* start = port.area + descriptor.addr;
      frame.bytes.assign(start, start + descriptor.len);
      frame.has_note = (descriptor.options & kWireHasNote) != 0;
      if (frame.has_note) {
        std::memcpy(&frame.note, start - sizeof frame.note, sizeof frame.note);
      }
      frames.push_back(frame);
    }
    publish<Point::kWireRxConsumer>(port.rx.consumer, consumer);
  }
  return frames;
}

/// A file of the given bytes, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes, const std::string& suffix = ".pcap") {
    std::string path = testing::TempDir() + "warpnic-XXXXXX" + suffix;
    const int file = mkstemps(path.data(), static_cast<int>(suffix.size()));
    EXPECT_GE(file, 0);
    EXPECT_EQ(write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(file);
    path_ = path;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Numbers in a file's byte order.
class FileWriter {
 public:
  explicit FileWriter(bool big_endian = false) : big_endian_(big_endian) {}
  FileWriter& u16(uint16_t v) { return number(v, 2); }
  FileWriter& u32(uint32_t v) { return number(v, 4); }
  FileWriter& text(const std::string& v) {
    bytes_ += v;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  FileWriter& number(uint32_t v, int count) {
    for (int i = 0; i < count; ++i) {
      const int shift = 8 * (big_endian_ ? count - 1 - i : i);
      bytes_ += static_cast<char>(v >> shift);
    }
    return *this;
  }
  bool big_endian_;
  std::string bytes_;
};

inline FileWriter pcap_header(bool nanoseconds, uint32_t link_type = 1, bool big_endian = false) {
  FileWriter file(big_endian);
  file.u32(nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4).u16(2).u16(4).u32(0).u32(0).u32(262144);
  file.u32(link_type);
  return file;
}
inline void pcap_frame(FileWriter& file, uint32_t seconds, uint32_t fraction,
                       const std::string& bytes, uint32_t wire_length = 0) {
  file.u32(seconds).u32(fraction).u32(static_cast<uint32_t>(bytes.size()));
  file.u32(wire_length ? wire_length : static_cast<uint32_t>(bytes.size())).text(bytes);
}
/// A section header and one interface whose times count nanoseconds.
inline FileWriter pcapng_header(uint16_t link_type = 1) {
  FileWriter file;
  file.u32(0x0a0d0d0a).u32(28).u32(0x1a2b3c4d).u16(1).u16(0).u32(0xffffffff).u32(0xffffffff);
  file.u32(28);
  file.u32(1).u32(32).u16(link_type).u16(0).u32(0);
  file.u16(9).u16(1).text(std::string("\x09\0\0\0", 4));  // if_tsresol: 10^-9
  file.u32(0).u32(32);
  return file;
}
inline void pcapng_frame(FileWriter& file, uint64_t time_ns, const std::string& bytes) {
  const auto length = static_cast<uint32_t>(bytes.size());
  const uint32_t padded = (length + 3) / 4 * 4;
  file.u32(6).u32(32 + padded).u32(0).u32(static_cast<uint32_t>(time_ns >> 32));
  file.u32(static_cast<uint32_t>(time_ns)).u32(length).u32(length);
  file.text(bytes + std::string(padded - length, '\0')).u32(32 + padded);
}

}  // namespace warpnic::test
