// SPDX-License-Identifier: Apache-2.0
// Wire rings and an area of frames in ordinary memory, for links of our own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "warpnic/format/wire_ring.h"
#include "warpnic/port/order.h"

namespace warpnic {

/// Frames in one piece of memory, each on 64 bytes and readable to the next 64, each with its note
/// before it.
class FrameArea {
 public:
  /// Appends a frame; returns its descriptor. Only before area() is taken.
  WireDescriptor add(const uint8_t* frame, uint32_t bytes, const FrameNote* frame_note) {
    if (frame_note) bytes_.resize(bytes_.size() + kWireFrameAlignment);
    const uint64_t address = bytes_.size();
    if (frame_note) {
      std::memcpy(bytes_.data() + address - sizeof(FrameNote), frame_note, sizeof(FrameNote));
    }
    const uint64_t room =
        (uint64_t{bytes} + kWireFrameAlignment - 1) / kWireFrameAlignment * kWireFrameAlignment;
    bytes_.resize(address + room);
    if (bytes) std::memcpy(bytes_.data() + address, frame, bytes);
    return {address, bytes, frame_note ? kWireHasNote : 0u};
  }

  uint64_t bytes() const { return bytes_.size(); }
  uint8_t* data() { return bytes_.data(); }

 private:
  /// std::vector on cache lines.
  template <class T>
  struct Aligned {
    using value_type = T;
    Aligned() = default;
    template <class U>
    Aligned(const Aligned<U>&) {}
    T* allocate(size_t count) {
      return static_cast<T*>(
          ::operator new(count * sizeof(T), std::align_val_t(kWireFrameAlignment)));
    }
    void deallocate(T* pointer, size_t) {
      ::operator delete(pointer, std::align_val_t(kWireFrameAlignment));
    }
    bool operator==(const Aligned&) const { return true; }
  };
  std::vector<uint8_t, Aligned<uint8_t>> bytes_;
};

/// The RX ring as its link sees it.
class RxRing {
 public:
  explicit RxRing(uint32_t entries) : entries_(entries), mask_(entries - 1) {}

  WireRing<WireDescriptor> ring() { return {&producer_, &consumer_, entries_.data(), mask_}; }

  /// Entries that may be filled now.
  uint32_t room() const {
    return mask_ + 1 - (producer_ - observe<Point::kWireRxConsumer>(&consumer_));
  }
  /// Fills the next entry; publish_filled() makes it and those before it visible.
  void fill(const WireDescriptor& descriptor) { entries_[filled_++ & mask_] = descriptor; }
  void publish_filled() { publish<Point::kWireRxProducer>(&producer_, filled_); }

 private:
  alignas(64) uint32_t producer_ = 0;
  uint32_t filled_ = 0;
  alignas(64) uint32_t consumer_ = 0;
  std::vector<WireDescriptor> entries_;
  uint32_t mask_;
};

}  // namespace warpnic
