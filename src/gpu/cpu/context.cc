// The three pieces of assembly that the executor needs: the switch, the call of a kernel, and the
// slow path of the yield counter that simt_ir.py puts into every basic block of device code.
#include "context.h"

#include <stdint.h>

namespace warpnic::cpu {

void context_make(Context& context, void* stack, size_t bytes, void (*entry)()) {
  auto top = (reinterpret_cast<uintptr_t>(stack) + bytes) & ~uintptr_t{15};
  auto** slot = reinterpret_cast<void**>(top);
  *--slot = nullptr;  // where a return address would be: entry does not return
  *--slot = reinterpret_cast<void*>(entry);
  for (int saved = 0; saved < 6; saved++) {
    *--slot = nullptr;
  }
  context.stack_pointer = slot;
}

}  // namespace warpnic::cpu

asm(R"(
  .text
  .p2align 4
  .globl warpnic_cpu_switch
  .hidden warpnic_cpu_switch
  .type warpnic_cpu_switch,@function
warpnic_cpu_switch:
  .cfi_startproc
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp,(%rdi)
  mov %rsi,%rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
  .cfi_endproc
  .size warpnic_cpu_switch,.-warpnic_cpu_switch

  # warpnic_cpu_call_kernel(kernel, slots, count): copies the slots to where ms_abi expects stack
  # arguments (at least the 32 bytes of home space) and the first four into both register files.
  .p2align 4
  .globl warpnic_cpu_call_kernel
  .hidden warpnic_cpu_call_kernel
  .type warpnic_cpu_call_kernel,@function
warpnic_cpu_call_kernel:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp,-16
  mov %rsp,%rbp
  .cfi_def_cfa_register %rbp
  mov %rdi,%rax
  mov %rdx,%rcx
  cmp $4,%rcx
  jae 1f
  mov $4,%rcx
1:
  lea 1(%rcx),%r8
  and $-2,%r8
  shl $3,%r8
  sub %r8,%rsp
  mov %rdx,%rcx
  mov %rsp,%rdi
  cld
  rep movsq
  mov (%rsp),%rcx
  mov 8(%rsp),%rdx
  mov 16(%rsp),%r8
  mov 24(%rsp),%r9
  movq %rcx,%xmm0
  movq %rdx,%xmm1
  movq %r8,%xmm2
  movq %r9,%xmm3
  call *%rax
  leave
  .cfi_def_cfa %rsp,8
  ret
  .cfi_endproc
  .size warpnic_cpu_call_kernel,.-warpnic_cpu_call_kernel

  # Called from inside a basic block with an unknown stack alignment; keeps every integer register.
  # The code around it has named its vector registers as clobbered and uses no red zone.
  .p2align 4
  .globl warpnic_cpu_tick_slow
  .type warpnic_cpu_tick_slow,@function
warpnic_cpu_tick_slow:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp,-16
  mov %rsp,%rbp
  .cfi_def_cfa_register %rbp
  push %rax
  push %rcx
  push %rdx
  push %rsi
  push %rdi
  push %r8
  push %r9
  push %r10
  mov 8(%rbp),%rdi
  and $-16,%rsp
  call warpnic_cpu_forced_yield
  lea -64(%rbp),%rsp
  pop %r10
  pop %r9
  pop %r8
  pop %rdi
  pop %rsi
  pop %rdx
  pop %rcx
  pop %rax
  pop %rbp
  .cfi_def_cfa %rsp,8
  ret
  .cfi_endproc
  .size warpnic_cpu_tick_slow,.-warpnic_cpu_tick_slow
)");
