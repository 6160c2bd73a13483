// What the sanitizers have to be told about stacks, fibers and hand-overs between them.
// Every function is empty in a build without the sanitizer. The runtime itself is built without
// -fsanitize=thread (its own switching would look like races) but with WARPNIC_CPU_TSAN.
#pragma once

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define WARPNIC_CPU_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPNIC_CPU_ASAN 1
#endif
#endif

extern "C" {
void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t bytes);
void __sanitizer_finish_switch_fiber(void* save, const void** old_bottom, size_t* old_bytes);
void __asan_poison_memory_region(void const volatile* address, size_t bytes);
void __asan_unpoison_memory_region(void const volatile* address, size_t bytes);
void* __tsan_get_current_fiber(void);
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}

namespace warpnic::cpu::sanitizer {

#ifdef WARPNIC_CPU_ASAN
inline constexpr bool kAddress = true;
inline void poison(const void* p, size_t bytes) { __asan_poison_memory_region(p, bytes); }
inline void unpoison(const void* p, size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
inline void start_switch(void** save, const void* bottom, size_t bytes) {
  __sanitizer_start_switch_fiber(save, bottom, bytes);
}
inline void finish_switch(void* save, const void** bottom, size_t* bytes) {
  __sanitizer_finish_switch_fiber(save, bottom, bytes);
}
#else
inline constexpr bool kAddress = false;
inline void poison(const void*, size_t) {}
inline void unpoison(const void*, size_t) {}
inline void start_switch(void**, const void*, size_t) {}
inline void finish_switch(void*, const void**, size_t*) {}
#endif

#ifdef WARPNIC_CPU_TSAN
inline void* current_fiber() { return __tsan_get_current_fiber(); }
inline void* create_fiber() { return __tsan_create_fiber(0); }
inline void destroy_fiber(void* fiber) { __tsan_destroy_fiber(fiber); }
/// ordered: the next fiber sees what this one did. Lanes switch unordered, or no race would show.
inline void switch_fiber(void* fiber, bool ordered) {
  __tsan_switch_to_fiber(fiber, ordered ? 0 : 1);
}
inline void acquire(void* address) { __tsan_acquire(address); }
inline void release(void* address) { __tsan_release(address); }
#else
inline void* current_fiber() { return nullptr; }
inline void* create_fiber() { return nullptr; }
inline void destroy_fiber(void*) {}
inline void switch_fiber(void*, bool) {}
inline void acquire(void*) {}
inline void release(void*) {}
#endif

}  // namespace warpnic::cpu::sanitizer
