// Streams: a queue of work and one OS thread each. The thread runs kernels (as their first block's
// worker), copies and host functions in order; waiting for another stream blocks it.
#pragma once

#include <stdint.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "driver_types.h"

namespace warpnic::cpu {

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(unsigned flags, int priority) : flags_(flags), priority_(priority) {}

  /// Adds work behind what is there; returns its number. The OS thread starts with the first.
  uint64_t submit(std::function<void()> work);
  /// Waits until work number `number` has been done.
  void wait(uint64_t number);
  /// The number of the last work submitted, 0 if all of it has been done.
  uint64_t pending();
  /// Lets the thread end once the queue is empty.
  void close();

  bool is_blocking() const { return (flags_ & cudaStreamNonBlocking) == 0; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }

 private:
  void run();

  const unsigned flags_;
  const int priority_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  uint64_t submitted_ = 0;
  uint64_t done_ = 0;
  bool closed_ = false;
  bool started_ = false;
};

/// The stream behind a handle: the default stream for 0 and cudaStreamLegacy, the calling thread's
/// for cudaStreamPerThread; null for a handle that is not a stream.
std::shared_ptr<Stream> find_stream(cudaStream_t handle);

/// Submits work to a stream in the order that CUDA gives: the default stream waits for all blocking
/// streams and they for it.
void submit(const std::shared_ptr<Stream>& stream, std::function<void()> work);

/// Submits and waits; runs it in the calling thread when the stream has nothing to wait for.
void submit_and_wait(const std::shared_ptr<Stream>& stream, const std::function<void()>& work);

/// Waits for everything submitted to any stream before the call.
void synchronise_device();

}  // namespace warpnic::cpu
