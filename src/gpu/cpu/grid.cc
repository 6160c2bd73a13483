#include "grid.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "block.h"
#include "options.h"

namespace warpnic::cpu {
namespace {

/// OS threads for blocks. It grows until nobody has to wait for a thread, since blocks of one grid
/// may wait for each other; the threads stay for the next grid.
class Pool {
 public:
  void run(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
    if (idle_ < queue_.size()) {
      std::thread([this] { loop(); }).detach();
    } else {
      changed_.notify_one();
    }
  }

 private:
  void loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (queue_.empty()) {
        idle_++;
        changed_.wait(lock);
        idle_--;
      }
      std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  size_t idle_ = 0;
};

Pool& pool() {
  static auto* value = new Pool;  // never destroyed: its threads live until the process ends
  return *value;
}

struct Progress {
  std::atomic<uint64_t> next{0};
  std::mutex mutex;
  std::condition_variable changed;
  unsigned helpers = 0;
};

}  // namespace

void run_grid(const Launch& launch) {
  const uint64_t blocks = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  Progress progress;
  auto run_blocks = [&launch, &progress, blocks] {
    for (uint64_t i = progress.next++; i < blocks; i = progress.next++) {
      run_block(launch, static_cast<unsigned>(i));
    }
  };
  const auto helpers =
      static_cast<unsigned>(std::min<uint64_t>(blocks, options().max_blocks) - 1);
  progress.helpers = helpers;
  for (unsigned i = 0; i < helpers; i++) {
    pool().run([&progress, &run_blocks] {
      run_blocks();
      const std::lock_guard lock(progress.mutex);
      if (--progress.helpers == 0) {
        progress.changed.notify_all();
      }
    });
  }
  run_blocks();
  if (helpers != 0) {
    std::unique_lock lock(progress.mutex);
    progress.changed.wait(lock, [&progress] { return progress.helpers == 0; });
  }
}

}  // namespace warpnic::cpu
