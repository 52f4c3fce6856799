// Memory for greenlet's copies of the C stacks of suspended ranks. greenlet allocates some kilobytes from the
// interpreter each time a rank blocks and frees them when the rank continues.
#include <Python.h>

#include <algorithm>
#include <cstring>

#include "rank_memory/blocks.hpp"
#include "rank_memory/c_api.h"

namespace pysmpi::stacks {
namespace {

constexpr std::size_t kSmall = 512;  // bytes; up to this size the interpreter has its own pools

PyMemAllocatorEx interpreters;       // the interpreter's own allocator, for all other requests
BlockHeap& blocks = *new BlockHeap;  // never destroyed, because the interpreter frees memory until its end

bool is_pooled(std::size_t bytes) { return bytes > kSmall && bytes <= BlockHeap::kLongest; }

void* allocate(void*, std::size_t bytes) {
  return is_pooled(bytes) ? blocks.take(bytes) : interpreters.malloc(interpreters.ctx, bytes);
}

void* allocate_zeros(void*, std::size_t count, std::size_t bytes) {
  return interpreters.calloc(interpreters.ctx, count, bytes);
}

void release(void*, void* memory) {
  if (blocks.length(memory) > 0) {
    blocks.give_back(memory);
  } else {
    interpreters.free(interpreters.ctx, memory);
  }
}

void* resize(void* context, void* memory, std::size_t bytes) {
  if (!memory) return allocate(context, bytes);
  const std::size_t before = blocks.length(memory);
  if (before == 0) return interpreters.realloc(interpreters.ctx, memory, bytes);
  if (bytes <= before && 2 * bytes > before) return memory;
  void* const moved = allocate(context, bytes);
  if (!moved) return nullptr;
  std::memcpy(moved, memory, std::min(before, bytes));
  blocks.give_back(memory);
  return moved;
}

}  // namespace
}  // namespace pysmpi::stacks

void pysmpi_pool_stacks(void) {
  using namespace pysmpi::stacks;
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (!interpreters.malloc) {
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &interpreters);
    PyMemAllocatorEx pooling{nullptr, allocate, allocate_zeros, resize, release};
    PyMem_SetAllocator(PYMEM_DOMAIN_MEM, &pooling);
  }
  PyGILState_Release(gil);
}
