// Where the interpreter keeps the frames of suspended ranks. CPython maps a chunk for each greenlet, and unmaps it when
// the greenlet ends: ranks that end in any order leave holes between the chunks of others, each of them one of the
// 65,530 mappings that the kernel allows a process. Here chunks are parts of large mappings and are used again.
#include <Python.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/control.h"

namespace pysmpi {
namespace {

constexpr std::size_t kChunk = 16 * 1024;           // bytes, DATA_STACK_CHUNK_SIZE of CPython 3.11 to 3.14
constexpr std::size_t kMapping = 64 * 1024 * 1024;  // bytes
constexpr std::size_t kKept = 64;                   // free chunks that keep their memory: threads come and go

PyObjectArenaAllocator interpreters;   // for all else
std::vector<std::uintptr_t> mappings;  // where they begin, ascending
std::vector<void*> free_chunks;
std::uintptr_t next = 0, end = 0;  // what no chunk has been made of yet

bool map_more() {
  void* found = mmap(nullptr, kMapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return false;
  madvise(found, kMapping, MADV_NOHUGEPAGE);  // of most chunks a page or two are used
  next = reinterpret_cast<std::uintptr_t>(found);
  end = next + kMapping;
  mappings.insert(std::upper_bound(mappings.begin(), mappings.end(), next), next);
  return true;
}

bool is_ours(const void* chunk) {
  const auto at = reinterpret_cast<std::uintptr_t>(chunk);
  const auto after = std::upper_bound(mappings.begin(), mappings.end(), at);
  return after != mappings.begin() && at - *std::prev(after) < kMapping;
}

void* allocate(void*, std::size_t bytes) {
  if (bytes != kChunk) return interpreters.alloc(interpreters.ctx, bytes);
  if (!free_chunks.empty()) {
    void* chunk = free_chunks.back();
    free_chunks.pop_back();
    return chunk;
  }
  if (next == end && !map_more()) return nullptr;
  void* chunk = reinterpret_cast<void*>(next);
  next += kChunk;
  return chunk;
}

void release(void*, void* memory, std::size_t bytes) {
  if (bytes != kChunk || !is_ours(memory)) return interpreters.free(interpreters.ctx, memory, bytes);
  if (free_chunks.size() >= kKept) madvise(memory, kChunk, MADV_DONTNEED);
  free_chunks.push_back(memory);
}

}  // namespace
}  // namespace pysmpi

void pysmpi_pool_frames(void) {
  using namespace pysmpi;
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (!interpreters.alloc) {
    PyObject_GetArenaAllocator(&interpreters);
    PyObjectArenaAllocator pooling{nullptr, allocate, release};
    PyObject_SetArenaAllocator(&pooling);
  }
  PyGILState_Release(gil);
}
