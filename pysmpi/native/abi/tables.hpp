// Conversions between numbers that two ABIs give to the same constant.
#pragma once

#include <cstddef>

namespace pysmpi::abi {

// A constant: its value in the simulator (mpi.h, MPICH's ABI), and in the program's ABI.
struct Pair {
  int internal, program;
};

// MPICH's classes for failures of processes.
inline constexpr int kErrProcFailed = 101, kErrProcFailedPending = 102, kErrRevoked = 103;

// Result for a value that means something in the simulator only. No constant has it, so that functions refuse it.
inline constexpr int kNoConstant = -0x3fffffff;

// Return the constant that has a value in the program's ABI, or null.
template <std::size_t n>
constexpr const Pair* find_program(const Pair (&table)[n], int program) {
  for (const Pair& each : table) {
    if (each.program == program) return &each;
  }
  return nullptr;
}

// Return the simulator's value of a constant, or an unknown value unchanged.
template <std::size_t n>
constexpr int internal_value(const Pair (&table)[n], int program) {
  if (const Pair* const found = find_program(table, program)) return found->internal;
  for (const Pair& each : table) {
    if (each.internal == program) return kNoConstant;
  }
  return program;
}

// Return the program's value of a constant, or an unknown value unchanged.
template <std::size_t n>
constexpr int program_value(const Pair (&table)[n], int internal) {
  for (const Pair& each : table) {
    if (each.internal == internal) return each.program;
  }
  return internal;
}

// Convert a combination of flags. An unknown bit becomes bit 30, which functions refuse.
template <std::size_t n>
constexpr int internal_bits(const Pair (&table)[n], int program) {
  int bits = 0;
  for (const Pair& each : table) {
    if (program & each.program) bits |= each.internal;
    program &= ~each.program;
  }
  return program == 0 ? bits : bits | 1 << 30;
}

template <std::size_t n>
constexpr int program_bits(const Pair (&table)[n], int internal) {
  int bits = 0;
  for (const Pair& each : table) {
    if (internal & each.internal) bits |= each.program;
  }
  return bits;
}

}  // namespace pysmpi::abi
