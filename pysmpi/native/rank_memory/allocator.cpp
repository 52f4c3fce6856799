// An allocator for NumPy's array data. It puts large arrays of ranks into folded memory (rank_memory/folded.hpp)
// without changes to the program.
#include "rank_memory/allocator.hpp"

#include <cstdlib>

#include "engine/simulation.hpp"
#include "rank_memory/c_api.h"
#include "rank_memory/folded.hpp"

namespace pysmpi {
namespace {

std::uint64_t threshold = 0;

void* allocate_array(void*, std::size_t bytes) {
  bool folds = false;
  void* const memory = folded_array(bytes, folds);
  return folds ? memory : std::malloc(bytes);
}

void* allocate_zero_array(void*, std::size_t items, std::size_t bytes) {
  bool folds = false;
  void* const memory = folded_array(items * bytes, folds);
  return folds ? memory : std::calloc(items, bytes);
}

void release_array(void*, void* memory, std::size_t) {
  if (!is_folded(memory)) std::free(memory);
}

void* change(void*, void* memory, std::size_t bytes) {
  bool folds = false;
  void* changed = folded_array(bytes, folds);
  if (!is_folded(memory) && !folds) return std::realloc(memory, bytes);
  if (!folds) changed = std::malloc(bytes);
  if (changed) release_array(nullptr, memory, 0);  // folded memory has no contents to preserve
  return changed;
}

Handler handler = {"pysmpi_folding", 1, {nullptr, allocate_array, allocate_zero_array, change, release_array}};

}  // namespace

void fold_arrays_from(std::uint64_t bytes) { threshold = bytes; }

void* folded_array(std::size_t bytes, bool& folds) {
  folds = threshold > 0 && bytes >= threshold && inside_rank();
  return folds && extend_folded(bytes) ? reinterpret_cast<void*>(folded_begin) : nullptr;
}

}  // namespace pysmpi

void* pysmpi_folding_allocator(uint64_t threshold) {
  pysmpi::fold_arrays_from(threshold);
  return &pysmpi::handler;
}
