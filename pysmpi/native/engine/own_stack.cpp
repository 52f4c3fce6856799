// Own stacks, and the change from one stack to another.
#include "engine/own_stack.hpp"

#include <Python.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/c_api.h"
#include "engine/greenlets.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

// void pysmpi_change_stack(void** from, void* to): saves the registers that a function must preserve on the present
// stack and its end in *from, and continues where the stack that ends at `to` was left.
#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .hidden pysmpi_change_stack
  .globl pysmpi_change_stack
  .type pysmpi_change_stack, @function
pysmpi_change_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size pysmpi_change_stack, .-pysmpi_change_stack
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .hidden pysmpi_change_stack
  .globl pysmpi_change_stack
  .type pysmpi_change_stack, %function
pysmpi_change_stack:
  sub sp, sp, #176
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mrs x9, fpcr
  str x9, [sp, #160]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldr x9, [sp, #160]
  msr fpcr, x9
  ldp d14, d15, [sp, #144]
  ldp d12, d13, [sp, #128]
  ldp d10, d11, [sp, #112]
  ldp d8, d9, [sp, #96]
  ldp x29, x30, [sp, #80]
  ldp x27, x28, [sp, #64]
  ldp x25, x26, [sp, #48]
  ldp x23, x24, [sp, #32]
  ldp x21, x22, [sp, #16]
  ldp x19, x20, [sp, #0]
  add sp, sp, #176
  ret
  .size pysmpi_change_stack, .-pysmpi_change_stack
)");
#endif

extern "C" void pysmpi_change_stack(void** from, void* to);

namespace pysmpi {

// A private stack. This object lies at the top of the memory that it describes.
struct OwnStack {
  char* memory;  // kGuard bytes without access, then `size` bytes
  std::size_t size;
  void* own = nullptr;     // end of the own stack while the common one is in use
  void* common = nullptr;  // end of the common stack while the own one is in use
  // Function to run on the stack that is changed to: that of run_on_own_stack; then, on the common stack, that of
  // run_on_common_stack.
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  bool ended = false;
#if defined(__SANITIZE_ADDRESS__)
  const void* common_begin = nullptr;  // the thread's own stack, as AddressSanitizer knows it
  std::size_t common_size = 0;
#endif
};

namespace {

constexpr std::size_t kMostUnused = 64;  // own stacks that are kept for the next functions
// A frame may be larger than the rest of the stack and touch its far end first, so a guard of one page would not do.
constexpr std::size_t kGuard = 64U << 20;

std::size_t size_of_stacks = 8U << 20;  // bytes, a multiple of the page size
std::vector<OwnStack*> unused_stacks;

// AddressSanitizer must know which stack is in use.
#if defined(__SANITIZE_ADDRESS__)
void change_to_own(OwnStack& stack) {
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(&fake, stack.memory + kGuard, stack.size);
  pysmpi_change_stack(&stack.common, stack.own);
  __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
}
void change_to_common(OwnStack& stack) {
  void* fake = nullptr;
  __sanitizer_start_switch_fiber(stack.ended ? nullptr : &fake, stack.common_begin, stack.common_size);
  pysmpi_change_stack(&stack.own, stack.common);
  __sanitizer_finish_switch_fiber(fake, &stack.common_begin, &stack.common_size);
}
void arrive(OwnStack& stack) { __sanitizer_finish_switch_fiber(nullptr, &stack.common_begin, &stack.common_size); }
void clean(OwnStack& stack) { __asan_unpoison_memory_region(stack.memory + kGuard, stack.size); }
#elif defined(__x86_64__) || defined(__aarch64__)
void change_to_own(OwnStack& stack) { pysmpi_change_stack(&stack.common, stack.own); }
void change_to_common(OwnStack& stack) { pysmpi_change_stack(&stack.own, stack.common); }
void arrive(OwnStack&) {}
void clean(OwnStack&) {}
#else
void change_to_own(OwnStack&) {}
void change_to_common(OwnStack&) {}
void arrive(OwnStack&) {}
void clean(OwnStack&) {}
#endif

// The first function on an own stack. Nothing returns from it: its return address is 0, which ends traces of the stack.
void begin() noexcept {
  OwnStack& stack = *own_stack;
  arrive(stack);
  stack.function(stack.argument);
  stack.ended = true;
  own_stack = nullptr;
  change_to_common(stack);
}

// Prepare the stack so that pysmpi_change_stack calls begin().
void lay_out(OwnStack& stack) {
  auto* end = reinterpret_cast<std::uint64_t*>(&stack);
#if defined(__x86_64__)
  *--end = 0;  // the return address of begin(); the end of the stack is aligned as after a call
  *--end = reinterpret_cast<std::uint64_t>(&begin);
  for (int i = 0; i < 6; ++i) *--end = 0;
  std::uint32_t vector_control = 0;
  std::uint16_t control = 0;
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(vector_control), "=m"(control));
  *--end = vector_control | static_cast<std::uint64_t>(control) << 32;
#elif defined(__aarch64__)
  end -= 22;
  for (int i = 0; i < 22; ++i) end[i] = 0;
  end[11] = reinterpret_cast<std::uint64_t>(&begin);
  std::uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  end[20] = control;
#endif
  stack.own = end;
}

OwnStack* make_stack() {
  void* const memory = mmap(nullptr, kGuard + size_of_stacks, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const bytes = static_cast<char*>(memory);
  if (mprotect(bytes, kGuard, PROT_NONE) != 0) {
    munmap(memory, kGuard + size_of_stacks);
    return nullptr;
  }
  void* const top = bytes + kGuard + size_of_stacks - (sizeof(OwnStack) + 15) / 16 * 16;
  return new (top) OwnStack{.memory = bytes, .size = size_of_stacks};
}

void free_stack(OwnStack* stack) { munmap(stack->memory, kGuard + stack->size); }

OwnStack* take_stack() {
  if (unused_stacks.empty()) return make_stack();
  OwnStack* const taken = unused_stacks.back();
  unused_stacks.pop_back();
  return taken;
}

void give_stack(OwnStack* stack) {
  if (unused_stacks.size() >= kMostUnused || stack->size != size_of_stacks) return free_stack(stack);
  clean(*stack);
  stack->ended = false;
  unused_stacks.push_back(stack);
}

struct PythonCall {
  PyObject *function, *args, *names, *result;
};

// call(function, *args, **names)
PyObject* call_on_own_stack(PyObject*, PyObject* args, PyObject* names) {
  PyObject* const rest = PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
  if (!rest) return nullptr;
  PythonCall call{PyTuple_GET_ITEM(args, 0), rest, names, nullptr};
  run_on_own_stack(
      [](void* argument) {
        PythonCall& made = *static_cast<PythonCall*>(argument);
        made.result = PyObject_Call(made.function, made.args, made.names);
      },
      &call);
  Py_DECREF(rest);
  return call.result;
}

}  // namespace

bool run_on_own_stack(void (*function)(void*), void* argument) {
  if (own_stack) {
    function(argument);
    return true;
  }
  redirect_greenlet_switches();
  OwnStack* const stack = take_stack();
  if (!stack) {
    PyErr_Format(PyExc_MemoryError,
                 "no memory for a rank's own stack of %zu KiB (contexts/stack-size): Linux allows 65,530 areas of "
                 "memory in a process (vm.max_map_count), and each own stack takes two",
                 size_of_stacks >> 10);
    return false;
  }
  stack->function = function;
  stack->argument = argument;
  lay_out(*stack);
  for (;;) {
    own_stack = stack;
    change_to_own(*stack);
    own_stack = nullptr;
    if (stack->ended) break;
    stack->function(stack->argument);
  }
  give_stack(stack);
  return true;
}

void run_on_common_stack(void (*function)(void*), void* argument) {
  OwnStack& stack = *own_stack;
  stack.function = function;
  stack.argument = argument;
  own_stack = nullptr;
  change_to_common(stack);
}

const void* end_of_common_stack() { return own_stack->common; }

bool overflows_own_stack(const void* address) {
  return own_stack && address >= own_stack->memory && address < own_stack->memory + kGuard;
}

}  // namespace pysmpi

using namespace pysmpi;

const char* pysmpi_own_stacks_problem(void) {
#if defined(__x86_64__) || defined(__aarch64__)
  // gh-139653: CPython 3.14.0 takes every other stack for an overflow of the thread's own.
  return Py_Version >= 0x030E0000 && Py_Version < 0x030E0100 ? "CPython 3.14.0 allows only one stack in a thread; "
                                                               "3.14.1 and later ones allow more"
                                                             : nullptr;
#else
  return "they are written for x86-64 and AArch64 processors";
#endif
}

void pysmpi_set_own_stack_size(int64_t bytes) {
  for (OwnStack* each : std::exchange(unused_stacks, {})) free_stack(each);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  size_of_stacks = (static_cast<std::size_t>(bytes) + page - 1) / page * page;
}

void* pysmpi_own_stack_caller(void) {
  static PyMethodDef definition{
      "call_on_own_stack",
      reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_on_own_stack)),
      METH_VARARGS | METH_KEYWORDS,
      nullptr,
  };
  const PyGILState_STATE gil = PyGILState_Ensure();
  static PyObject* const function = PyCFunction_New(&definition, nullptr);
  PyGILState_Release(gil);
  return function;
}
