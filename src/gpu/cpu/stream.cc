#include "stream.h"

#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"
#include "error.h"

namespace warpnic::cpu {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<Stream*, std::shared_ptr<Stream>> streams;
  std::shared_ptr<Stream> legacy = std::make_shared<Stream>(0, 0);
};

// Never destroyed: stream threads may still run while the process exits.
Registry& registry() {
  static auto* value = new Registry;
  return *value;
}

using Dependency = std::pair<std::shared_ptr<Stream>, uint64_t>;

/// What work submitted now to this stream has to wait for in other streams.
std::vector<Dependency> dependencies(const std::shared_ptr<Stream>& stream) {
  Registry& r = registry();
  std::vector<Dependency> found;
  auto add = [&](const std::shared_ptr<Stream>& other) {
    if (const uint64_t number = other->pending(); number != 0) {
      found.emplace_back(other, number);
    }
  };
  if (stream != r.legacy) {
    if (stream->is_blocking()) {
      add(r.legacy);
    }
    return found;
  }
  const std::lock_guard lock(r.mutex);
  for (const auto& [key, other] : r.streams) {
    if (other->is_blocking()) {
      add(other);
    }
  }
  return found;
}

std::shared_ptr<Stream> add_stream(unsigned flags, int priority) {
  auto stream = std::make_shared<Stream>(flags, priority);
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.streams.emplace(stream.get(), stream);
  return stream;
}

struct ThreadStream {
  std::shared_ptr<Stream> stream = add_stream(0, 0);
  ~ThreadStream() {
    stream->close();
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.streams.erase(stream.get());
  }
};

}  // namespace

uint64_t Stream::submit(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (!started_) {
    started_ = true;
    std::thread([self = shared_from_this()] { self->run(); }).detach();
  }
  queue_.push_back(std::move(work));
  changed_.notify_all();
  return ++submitted_;
}

void Stream::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return closed_ || !queue_.empty(); });
    if (queue_.empty()) {
      return;
    }
    std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    done_++;
    changed_.notify_all();
  }
}

void Stream::wait(uint64_t number) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= number; });
}

uint64_t Stream::pending() {
  const std::lock_guard lock(mutex_);
  return submitted_ != done_ ? submitted_ : 0;
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

std::shared_ptr<Stream> find_stream(cudaStream_t handle) {
  Registry& r = registry();
  if (handle == nullptr || handle == cudaStreamLegacy) {
    return r.legacy;
  }
  if (handle == cudaStreamPerThread) {
    static thread_local ThreadStream own;
    return own.stream;
  }
  const std::lock_guard lock(r.mutex);
  const auto found = r.streams.find(reinterpret_cast<Stream*>(handle));
  return found != r.streams.end() ? found->second : nullptr;
}

void submit(const std::shared_ptr<Stream>& stream, std::function<void()> work) {
  std::vector<Dependency> before = dependencies(stream);
  if (before.empty()) {
    stream->submit(std::move(work));
    return;
  }
  stream->submit([before = std::move(before), work = std::move(work)] {
    for (const auto& [other, number] : before) {
      other->wait(number);
    }
    work();
  });
}

void submit_and_wait(const std::shared_ptr<Stream>& stream, const std::function<void()>& work) {
  const uint64_t own = stream->pending();
  for (const auto& [other, number] : dependencies(stream)) {
    other->wait(number);
  }
  if (own != 0) {
    stream->wait(own);
  }
  work();
}

void synchronise_device() {
  Registry& r = registry();
  std::vector<Dependency> all;
  {
    const std::lock_guard lock(r.mutex);
    for (const auto& [key, stream] : r.streams) {
      all.emplace_back(stream, stream->pending());
    }
  }
  all.emplace_back(r.legacy, r.legacy->pending());
  for (const auto& [stream, number] : all) {
    if (number != 0) {
      stream->wait(number);
    }
  }
}

}  // namespace warpnic::cpu

using namespace warpnic::cpu;

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  if (stream == nullptr || (flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) != 0) {
    return fail(cudaErrorInvalidValue);
  }
  // The device has one priority beside the default, as cudaDeviceGetStreamPriorityRange says;
  // others are moved to the nearest, as in CUDA. Every block is resident, so none has an effect.
  const int nearest = priority < 0 ? -1 : 0;
  *stream = reinterpret_cast<cudaStream_t>(add_stream(flags, nearest).get());
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  Registry& r = registry();
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(r.mutex);
    const auto found = r.streams.find(reinterpret_cast<Stream*>(handle));
    if (found == r.streams.end()) {
      return fail(cudaErrorInvalidResourceHandle);
    }
    stream = found->second;
    if (stream->pending() == 0) {
      r.streams.erase(found);
      stream->close();
      return cudaSuccess;
    }
  }
  // Work goes on after the handle is gone, and cudaDeviceSynchronize still waits for it: the
  // stream leaves the registry by its own last work, under a key that no handle has any more.
  {
    const std::lock_guard lock(r.mutex);
    r.streams.erase(stream.get());
    r.streams.emplace(reinterpret_cast<Stream*>(reinterpret_cast<uintptr_t>(stream.get()) | 1),
                      stream);
  }
  stream->submit([raw = stream.get()] {
    Registry& all = registry();
    std::shared_ptr<Stream> last;
    const std::lock_guard lock(all.mutex);
    const auto found =
        all.streams.find(reinterpret_cast<Stream*>(reinterpret_cast<uintptr_t>(raw) | 1));
    if (found != all.streams.end()) {
      last = found->second;
      all.streams.erase(found);
    }
  });
  stream->close();
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  const auto stream = find_stream(handle);
  if (!stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  submit_and_wait(stream, [] {});
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  const auto stream = find_stream(handle);
  if (!stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  // "Not ready" is an answer, not an error: it does not become the last error.
  return stream->pending() != 0 ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned int* flags) {
  const auto stream = find_stream(handle);
  if (!stream || flags == nullptr) {
    return fail(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  }
  *flags = stream->flags();
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  const auto stream = find_stream(handle);
  if (!stream || priority == nullptr) {
    return fail(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  }
  *priority = stream->priority();
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* data) {
  const auto stream = find_stream(handle);
  if (!stream || function == nullptr) {
    return fail(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  }
  submit(stream, [=] { function(data); });
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  const auto stream = find_stream(handle);
  if (!stream || callback == nullptr || flags != 0) {
    return fail(stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  }
  submit(stream, [=] { callback(handle, cudaSuccess, data); });
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
  synchronise_device();
  return cudaSuccess;
}
