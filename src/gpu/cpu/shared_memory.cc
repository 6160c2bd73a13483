// Shared memory of the block that a worker runs. Device code finds it through two thread-local
// words; under AddressSanitizer everything but the variables themselves is poisoned.
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "block.h"
#include "sanitizer.h"

extern "C" {
__attribute__((visibility("default"), tls_model("initial-exec"))) __thread char*
    warpnic_cpu_shared_base;
__attribute__((visibility("default"), tls_model("initial-exec"))) __thread char*
    warpnic_cpu_dynamic_base;
}

namespace warpnic::cpu {
namespace {

constexpr size_t kDynamicAlignment = 1024;
constexpr size_t kGap = 1024;

}  // namespace

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) {
    sanitizer::unpoison(memory_, capacity_);
    munmap(memory_, capacity_);
  }
}

void SharedMemory::lay_out(const Image& image, size_t dynamic_bytes) {
  const auto static_bytes = static_cast<size_t>(image.static_bytes);
  const size_t dynamic_offset =
      (kGap + static_bytes + kGap + kDynamicAlignment - 1) & ~(kDynamicAlignment - 1);
  const size_t wanted = (dynamic_offset + dynamic_bytes + kGap + 4095) & ~size_t{4095};
  if (wanted > capacity_) {
    this->~SharedMemory();
    void* memory = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      perror("warpnic cpu executor: shared memory of a block");
      abort();
    }
    memory_ = static_cast<char*>(memory);
    capacity_ = wanted;
  }
  warpnic_cpu_shared_base = memory_ + kGap;
  warpnic_cpu_dynamic_base = memory_ + dynamic_offset;
  if constexpr (sanitizer::kAddress) {
    sanitizer::poison(memory_, capacity_);
    for (int64_t i = 0; i < image.area_count; i++) {
      const SharedArea& area = image.areas[i];
      sanitizer::unpoison(warpnic_cpu_shared_base + area.offset, static_cast<size_t>(area.bytes));
    }
    sanitizer::unpoison(warpnic_cpu_dynamic_base, dynamic_bytes);
  }
}

}  // namespace warpnic::cpu
