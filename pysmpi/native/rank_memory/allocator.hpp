// NumPy's interface for allocators of array data (NumPy's C API manual, "Memory management"; NEP 49), and the choice of
// arrays that are folded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pysmpi {

struct Allocator {
  void* context;
  void* (*allocate)(void* context, std::size_t bytes);
  void* (*allocate_zeros)(void* context, std::size_t items, std::size_t bytes);
  void* (*change)(void* context, void* memory, std::size_t bytes);
  void (*release)(void* context, void* memory, std::size_t bytes);
};

struct Handler {
  char name[127];
  std::uint8_t version;
  Allocator allocator;
};

// Fold the arrays of ranks that have at least this size in bytes; 0 folds none.
void fold_arrays_from(std::uint64_t bytes);

// Return folded memory for an array of the running rank, or null if the array is not folded or address space is
// exhausted; `folds` tells which.
void* folded_array(std::size_t bytes, bool& folds);

}  // namespace pysmpi
