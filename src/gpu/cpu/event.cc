// Events: each record gets a number; waiting means waiting for the record that was the last when
// the wait was called, as CUDA has it.
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>

#include "block.h"
#include "cuda_runtime_api.h"
#include "error.h"
#include "stream.h"

namespace warpnic::cpu {
namespace {

struct Event {
  explicit Event(unsigned event_flags) : flags(event_flags) {}

  void wait(uint64_t number) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return completed >= number; });
  }
  uint64_t last_record() {
    const std::lock_guard lock(mutex);
    return recorded;
  }

  const unsigned flags;
  std::mutex mutex;
  std::condition_variable changed;
  uint64_t recorded = 0;
  uint64_t completed = 0;
  uint64_t time_ns = 0;
};

struct Events {
  std::mutex mutex;
  std::map<Event*, std::shared_ptr<Event>> all;
};

Events& events() {
  static auto* value = new Events;  // never destroyed: streams may outlive static objects
  return *value;
}

std::shared_ptr<Event> find_event(cudaEvent_t handle) {
  const std::lock_guard lock(events().mutex);
  const auto found = events().all.find(reinterpret_cast<Event*>(handle));
  return found != events().all.end() ? found->second : nullptr;
}

}  // namespace
}  // namespace warpnic::cpu

using namespace warpnic::cpu;

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming;
  if (event == nullptr || (flags & ~kKnown) != 0) {
    return fail(cudaErrorInvalidValue);
  }
  auto created = std::make_shared<Event>(flags);
  const std::lock_guard lock(events().mutex);
  events().all.emplace(created.get(), created);
  *event = reinterpret_cast<cudaEvent_t>(created.get());
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  const std::lock_guard lock(events().mutex);
  return events().all.erase(reinterpret_cast<Event*>(handle)) != 0
             ? cudaSuccess
             : fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t stream_handle) {
  const auto event = find_event(handle);
  const auto stream = find_stream(stream_handle);
  if (!event || !stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  uint64_t number;
  {
    const std::lock_guard lock(event->mutex);
    number = ++event->recorded;
  }
  submit(stream, [event, number] {
    const std::lock_guard lock(event->mutex);
    if (number > event->completed) {
      event->completed = number;
      event->time_ns = monotonic_ns();
    }
    event->changed.notify_all();
  });
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  const auto event = find_event(handle);
  if (!event) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  event->wait(event->last_record());
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  const auto event = find_event(handle);
  if (!event) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  const std::lock_guard lock(event->mutex);
  return event->completed < event->recorded ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const auto first = find_event(begin);
  const auto second = find_event(end);
  if (!first || !second) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (milliseconds == nullptr) {
    return fail(cudaErrorInvalidValue);
  }
  uint64_t times[2];
  int i = 0;
  for (const auto& event : {first, second}) {
    const std::lock_guard lock(event->mutex);
    if (event->recorded == 0 || (event->flags & cudaEventDisableTiming) != 0) {
      return fail(cudaErrorInvalidResourceHandle);
    }
    if (event->completed < event->recorded) {
      return cudaErrorNotReady;
    }
    times[i++] = event->time_ns;
  }
  *milliseconds = static_cast<float>(static_cast<double>(static_cast<int64_t>(times[1]) -
                                                         static_cast<int64_t>(times[0])) /
                                     1e6);
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream_handle, cudaEvent_t handle,
                                unsigned int flags) {
  const auto event = find_event(handle);
  const auto stream = find_stream(stream_handle);
  if (!event || !stream) {
    return fail(cudaErrorInvalidResourceHandle);
  }
  if (flags != cudaEventWaitDefault) {
    return fail(cudaErrorInvalidValue);
  }
  const uint64_t number = event->last_record();
  submit(stream, [event, number] { event->wait(number); });
  return cudaSuccess;
}
