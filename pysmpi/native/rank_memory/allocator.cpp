// An allocator for NumPy's array data (NumPy's C API manual, "Memory management"; NEP 49). It puts large arrays of
// ranks into folded memory (rank_memory/folded.hpp) without changes to the program.
#include <cstdint>
#include <cstdlib>

#include "engine/simulation.hpp"
#include "rank_memory/c_api.h"
#include "rank_memory/folded.hpp"

namespace pysmpi {
namespace {

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

std::uint64_t threshold = 0;

bool folds(std::size_t bytes) { return bytes >= threshold && inside_rank(); }

void* folded(std::size_t bytes) { return extend_folded(bytes) ? reinterpret_cast<void*>(folded_begin) : nullptr; }

void* allocate(void*, std::size_t bytes) { return folds(bytes) ? folded(bytes) : std::malloc(bytes); }

void* allocate_zeros(void*, std::size_t items, std::size_t bytes) {
  return folds(items * bytes) ? folded(items * bytes) : std::calloc(items, bytes);
}

void release(void*, void* memory, std::size_t) {
  if (!is_folded(memory)) std::free(memory);
}

void* change(void*, void* memory, std::size_t bytes) {
  if (!is_folded(memory) && !folds(bytes)) return std::realloc(memory, bytes);
  void* changed = allocate(nullptr, bytes);
  if (changed) release(nullptr, memory, 0);  // folded memory has no contents to preserve
  return changed;
}

Handler handler = {"pysmpi_folding", 1, {nullptr, allocate, allocate_zeros, change, release}};

}  // namespace
}  // namespace pysmpi

void* pysmpi_folding_allocator(uint64_t threshold) {
  pysmpi::threshold = threshold;
  return &pysmpi::handler;
}
