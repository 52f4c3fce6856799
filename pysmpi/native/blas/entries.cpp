// Entries in assembler: C++ cannot pass on the arguments of a function whose type it does not know.
//
// Each entry loads its number and jumps to the common part. That part stores the registers with arguments as the
// structure Arguments, and asks pysmpi_enter_function for the function. If nothing is to be done after the call, the
// registers are loaded again and the function is jumped to: it returns to the caller directly. Otherwise the function
// is called with a copy of the stack's arguments, and the results are kept while pysmpi_leave_function runs. How many
// arguments there are is unknown, so 48 words are copied. Functions of LAPACK have at most 37 arguments, and the frames
// of the interpreter lie above those of the caller, so that these words exist.
#include "blas/entries.hpp"

#include <cstddef>

static_assert(pysmpi::blas::kEntries == 4096);

#ifdef __aarch64__
static_assert(offsetof(pysmpi::blas::Arguments, returns) == 136);
asm(R"(
  .pushsection .text
  .p2align 4
  .hidden pysmpi_entries
  .globl pysmpi_entries
pysmpi_entries:
  .set number, 0
  .rept 4096
  hint #34
  mov w16, #number
  b pysmpi_common_entry
  nop
  .set number, number + 1
  .endr

  .type pysmpi_common_entry, %function
pysmpi_common_entry:
  .cfi_startproc
  stp x29, x30, [sp, #-208]!
  .cfi_def_cfa_offset 208
  .cfi_offset 29, -208
  .cfi_offset 30, -200
  mov x29, sp
  .cfi_def_cfa_register 29
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  stp d0, d1, [sp, #80]
  stp d2, d3, [sp, #96]
  stp d4, d5, [sp, #112]
  stp d6, d7, [sp, #128]
  add x9, sp, #208
  str x9, [sp, #144]
  str x8, [sp, #160]
  mov w0, w16
  add x1, sp, #16
  bl pysmpi_enter_function
  mov x16, x0
  ldr x14, [sp, #152]
  cbz x14, 2f
  sub sp, sp, #384
  add x9, x29, #208
  mov x10, sp
  mov x11, #24
1:
  ldp x12, x13, [x9], #16
  stp x12, x13, [x10], #16
  subs x11, x11, #1
  b.ne 1b
2:
  ldp x0, x1, [x29, #16]
  ldp x2, x3, [x29, #32]
  ldp x4, x5, [x29, #48]
  ldp x6, x7, [x29, #64]
  ldp d0, d1, [x29, #80]
  ldp d2, d3, [x29, #96]
  ldp d4, d5, [x29, #112]
  ldp d6, d7, [x29, #128]
  ldr x8, [x29, #160]
  cbz x14, 3f
  blr x16
  mov sp, x29
  stp x0, x1, [sp, #168]
  stp d0, d1, [sp, #184]
  add x0, sp, #16
  bl pysmpi_leave_function
  ldp x0, x1, [sp, #168]
  ldp d0, d1, [sp, #184]
  ldp x29, x30, [sp], #208
  ret
3:
  ldp x29, x30, [sp], #208
  br x16
  .cfi_endproc
  .size pysmpi_common_entry, . - pysmpi_common_entry
  .popsection
)");
#else
static_assert(offsetof(pysmpi::blas::Arguments, returns) == 120);
asm(R"(
  .pushsection .text
  .p2align 4
  .hidden pysmpi_entries
  .globl pysmpi_entries
pysmpi_entries:
  .set number, 0
  .rept 4096
  endbr64
  movl $number, %r11d
  jmp pysmpi_common_entry
  .p2align 4
  .set number, number + 1
  .endr

  .type pysmpi_common_entry, @function
pysmpi_common_entry:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $160, %rsp
  movq %rdi, -160(%rbp)
  movq %rsi, -152(%rbp)
  movq %rdx, -144(%rbp)
  movq %rcx, -136(%rbp)
  movq %r8, -128(%rbp)
  movq %r9, -120(%rbp)
  movsd %xmm0, -112(%rbp)
  movsd %xmm1, -104(%rbp)
  movsd %xmm2, -96(%rbp)
  movsd %xmm3, -88(%rbp)
  movsd %xmm4, -80(%rbp)
  movsd %xmm5, -72(%rbp)
  movsd %xmm6, -64(%rbp)
  movsd %xmm7, -56(%rbp)
  leaq 16(%rbp), %rax
  movq %rax, -48(%rbp)
  movl %r11d, %edi
  movq %rsp, %rsi
  call pysmpi_enter_function
  movq %rax, %r11
  movq -40(%rbp), %r10
  testq %r10, %r10
  je 1f
  subq $384, %rsp
  leaq 16(%rbp), %rsi
  movq %rsp, %rdi
  movl $48, %ecx
  rep movsq
1:
  movq -160(%rbp), %rdi
  movq -152(%rbp), %rsi
  movq -144(%rbp), %rdx
  movq -136(%rbp), %rcx
  movq -128(%rbp), %r8
  movq -120(%rbp), %r9
  movsd -112(%rbp), %xmm0
  movsd -104(%rbp), %xmm1
  movsd -96(%rbp), %xmm2
  movsd -88(%rbp), %xmm3
  movsd -80(%rbp), %xmm4
  movsd -72(%rbp), %xmm5
  movsd -64(%rbp), %xmm6
  movsd -56(%rbp), %xmm7
  testq %r10, %r10
  je 2f
  call *%r11
  movq %rax, -32(%rbp)
  movq %rdx, -24(%rbp)
  movsd %xmm0, -16(%rbp)
  movsd %xmm1, -8(%rbp)
  leaq -160(%rbp), %rdi
  call pysmpi_leave_function
  movq -32(%rbp), %rax
  movq -24(%rbp), %rdx
  movsd -16(%rbp), %xmm0
  movsd -8(%rbp), %xmm1
  movq %rbp, %rsp
  popq %rbp
  .cfi_remember_state
  .cfi_def_cfa %rsp, 8
  ret
2:
  .cfi_restore_state
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_endproc
  .size pysmpi_common_entry, . - pysmpi_common_entry
  .popsection
)");
#endif

extern "C" __attribute__((visibility("hidden"))) const char pysmpi_entries[];

namespace pysmpi::blas {

constexpr std::size_t kEntryBytes = 16;

void* entry(std::size_t number) { return const_cast<char*>(pysmpi_entries) + number * kEntryBytes; }

bool is_entry(const void* code) { return code >= entry(0) && code < entry(kEntries); }

std::size_t entry_number(const void* code) {
  return static_cast<std::size_t>(static_cast<const char*>(code) - pysmpi_entries) / kEntryBytes;
}

}  // namespace pysmpi::blas
