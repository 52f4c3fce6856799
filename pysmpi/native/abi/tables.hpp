// Conversions between numbers that two ABIs give to the same constant.
#pragma once

#include <cstddef>

namespace pysmpi::abi {

// A constant: its value in mpi.h, which is MPICH's, and in the ABI of this library.
struct Pair {
  int own, theirs;
};

// MPICH's classes for failures of processes.
inline constexpr int kErrProcFailed = 101, kErrProcFailedPending = 102, kErrRevoked = 103;

// A value that no constant has: functions refuse it.
inline constexpr int kNoConstant = -0x3fffffff;

template <std::size_t n>
constexpr int own_value(const Pair (&table)[n], int theirs) {
  for (const Pair& each : table) {
    if (each.theirs == theirs) return each.own;
  }
  return kNoConstant;
}

template <std::size_t n>
constexpr int their_value(const Pair (&table)[n], int own) {
  for (const Pair& each : table) {
    if (each.own == own) return each.theirs;
  }
  return own;
}

// Return the sum of the constants whose sum is `theirs`. A bit of no constant becomes one that functions refuse.
template <std::size_t n>
constexpr int own_bits(const Pair (&table)[n], int theirs) {
  int bits = 0;
  for (const Pair& each : table) {
    if (theirs & each.theirs) bits |= each.own;
    theirs &= ~each.theirs;
  }
  return theirs == 0 ? bits : bits | 1 << 30;
}

template <std::size_t n>
constexpr int their_bits(const Pair (&table)[n], int own) {
  int bits = 0;
  for (const Pair& each : table) {
    if (own & each.own) bits |= each.theirs;
  }
  return bits;
}

}  // namespace pysmpi::abi
