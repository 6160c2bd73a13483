// Switching between the stacks of CUDA threads: about ten instructions, x86-64 System V only.
#pragma once

#include <stddef.h>

#if !defined(__x86_64__)
#error "the CPU executor switches stacks and calls kernels in x86-64 assembly"
#endif

namespace warpnic::cpu {

/// A suspended computation: its callee-saved registers lie on its stack.
struct Context {
  void* stack_pointer = nullptr;
};

/// Prepares a context that starts in entry, which must not return.
void context_make(Context& context, void* stack, size_t bytes, void (*entry)());

extern "C" {
__attribute__((visibility("hidden"))) void warpnic_cpu_switch(void** save, void* load);
/// Calls a kernel (ms_abi) with count 8-byte argument slots.
__attribute__((visibility("hidden"))) void warpnic_cpu_call_kernel(void* kernel,
                                                                   const void* slots,
                                                                   size_t count);
}

inline void context_switch(Context& from, Context& to) {
  warpnic_cpu_switch(&from.stack_pointer, to.stack_pointer);
}

}  // namespace warpnic::cpu
