// Entries: pieces of code that callers reach instead of a function, and that call this function with the same
// arguments.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pysmpi::blas {

// Number of general registers that pass arguments, by the calling conventions of System V (x86-64) and AAPCS64.
#ifdef __aarch64__
inline constexpr std::size_t kWords = 8;
#else
inline constexpr std::size_t kWords = 6;
#endif

// Arguments of a call: whole numbers and addresses in general registers, floating-point numbers in their own registers,
// and the remaining arguments on the stack. The assembler code in entries.cpp has the same layout.
struct Arguments {
  std::uint64_t words[kWords];
  double reals[8];
  const std::uint64_t* stack;
  std::uint64_t returns;  // 1 if leave_function is to be called when the function has returned

  // Return argument number `number`. Floating-point numbers that are passed by value are not counted.
  std::uint64_t word(std::size_t number) const { return number < kWords ? words[number] : stack[number - kWords]; }
};

inline constexpr std::size_t kEntries = 4096;

void* entry(std::size_t number);  // address of an entry
bool is_entry(const void* code);  // whether code is an entry, whose number then is entry_number(code)
std::size_t entry_number(const void* code);

}  // namespace pysmpi::blas

extern "C" {
// Called for each call of an entry. Returns the function that the entry stands for, and sets `returns`.
__attribute__((visibility("hidden"))) void* pysmpi_enter_function(std::uint32_t number,
                                                                  pysmpi::blas::Arguments* arguments);
// Called when the function has returned.
__attribute__((visibility("hidden"))) void pysmpi_leave_function(pysmpi::blas::Arguments* arguments);
}
