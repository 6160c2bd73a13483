// ThreadSanitizer: device and host code is built with -tsan-distinguish-volatile=1, which turns
// volatile accesses into the calls below. CUDA programs use volatile words to hand data over, so they
// count as acquire and release. The call comes BEFORE the load: the acquire is repeated at the next
// basic block (warpnic_cpu_trace_pc), when the value has been read.
#ifdef WARPNIC_CPU_TSAN

#include "block.h"
#include "sanitizer.h"

#define WARPNIC_CPU_HOOK extern "C" __attribute__((visibility("default"))) void

extern "C" __thread int warpnic_cpu_budget __attribute__((tls_model("initial-exec")));
extern "C" void warpnic_cpu_forced_yield(const void* place);

static __thread void* pending_read __attribute__((tls_model("initial-exec")));

static inline void volatile_read(void* address) {
  warpnic::cpu::sanitizer::acquire(address);
  pending_read = address;
}

#define WARPNIC_CPU_VOLATILE(bytes)                                                             \
  WARPNIC_CPU_HOOK __tsan_volatile_read##bytes(void* p) { volatile_read(p); }                   \
  WARPNIC_CPU_HOOK __tsan_unaligned_volatile_read##bytes(void* p) { volatile_read(p); }         \
  WARPNIC_CPU_HOOK __tsan_volatile_write##bytes(void* p) { warpnic::cpu::sanitizer::release(p); } \
  WARPNIC_CPU_HOOK __tsan_unaligned_volatile_write##bytes(void* p) {                            \
    warpnic::cpu::sanitizer::release(p);                                                        \
  }

WARPNIC_CPU_VOLATILE(1)
WARPNIC_CPU_VOLATILE(2)
WARPNIC_CPU_VOLATILE(4)
WARPNIC_CPU_VOLATILE(8)
WARPNIC_CPU_VOLATILE(16)

WARPNIC_CPU_HOOK warpnic_cpu_trace_pc(void) {
  if (pending_read != nullptr) {
    warpnic::cpu::sanitizer::acquire(pending_read);
    pending_read = nullptr;
  }
  if (--warpnic_cpu_budget < 0) {
    warpnic_cpu_forced_yield(__builtin_return_address(0));
  }
}

#endif
