// Where the interpreter keeps the frames of suspended ranks. CPython maps a chunk for each greenlet, and unmaps it when
// the greenlet ends: ranks that end in any order leave holes between the chunks of others, each of them one of the
// 65,530 mappings that the kernel allows a process. Here chunks are parts of large mappings and are used again.
//
// A rank's first chunk is as long as what ranks have kept on theirs while they were blocked, mostly a kilobyte, and
// lies close to those of others, where CPython's would take a page at least. Deeper calls are in ordinary chunks, which
// are there while they last.
#include <Python.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "engine/simulation.hpp"
#include "memory/control.h"

namespace pysmpi {
namespace {

constexpr std::size_t kChunk = 16 * 1024;           // bytes, DATA_STACK_CHUNK_SIZE of CPython 3.11 to 3.14
constexpr std::size_t kMapping = 64 * 1024 * 1024;  // bytes
constexpr std::size_t kKept = 64;                   // free chunks that keep their memory: threads come and go

constexpr std::size_t kStep = 64;            // bytes: first chunks are multiples of it
constexpr std::size_t kLongestFirst = 3072;  // bytes; longer ones save nothing

PyObjectArenaAllocator interpreters;  // for all else

// Mappings that are cut into blocks, one after the other.
class Mappings {
 public:
  // `advice` is madvise's. Null when there is no more address space.
  void* take(std::size_t bytes, int advice) {
    if (end_ - next_ < bytes && !map_more(advice)) return nullptr;
    void* block = reinterpret_cast<void*>(next_);
    next_ += bytes;
    return block;
  }

  bool holds(const void* block) const {
    const auto at = reinterpret_cast<std::uintptr_t>(block);
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), at);
    return after != begins_.begin() && at - *std::prev(after) < kMapping;
  }

 private:
  bool map_more(int advice) {
    void* found = mmap(nullptr, kMapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) return false;
    madvise(found, kMapping, advice);
    next_ = reinterpret_cast<std::uintptr_t>(found);
    end_ = next_ + kMapping;
    begins_.insert(std::upper_bound(begins_.begin(), begins_.end(), next_), next_);
    return true;
  }

  std::vector<std::uintptr_t> begins_;  // ascending
  std::uintptr_t next_ = 0, end_ = 0;   // what no block has been made of yet
};

Mappings ordinary, dense;
std::vector<void*> warm, cold;  // free ordinary chunks: with their memory, at most kKept, and without
std::array<std::vector<void*>, kLongestFirst / kStep + 1> free_first;  // by length

void* allocate(void*, std::size_t bytes) {
  if (bytes != kChunk) return interpreters.alloc(interpreters.ctx, bytes);
  std::vector<void*>& free = warm.empty() ? cold : warm;
  if (free.empty()) return ordinary.take(kChunk, MADV_NOHUGEPAGE);  // of most chunks a page is used
  void* chunk = free.back();
  free.pop_back();
  return chunk;
}

void release(void*, void* memory, std::size_t bytes) {
  if (bytes <= kLongestFirst && dense.holds(memory)) {
    free_first[bytes / kStep].push_back(memory);
  } else if (bytes != kChunk || !ordinary.holds(memory)) {
    interpreters.free(interpreters.ctx, memory, bytes);
  } else if (warm.size() < kKept) {
    warm.push_back(memory);
  } else {
    madvise(memory, kChunk, MADV_DONTNEED);
    cold.push_back(memory);
  }
}

// Room for what ranks have kept there so far, and a quarter more. Null before any has, and where it is much.
_PyStackChunk* first_chunk() {
  const std::size_t deepest = simulation().deepest_frames;
  const std::size_t bytes = (deepest + deepest / 4 + kStep - 1) / kStep * kStep;
  if (deepest == 0 || bytes > kLongestFirst) return nullptr;
  std::vector<void*>& free = free_first[bytes / kStep];
  void* block = free.empty() ? dense.take(bytes, MADV_HUGEPAGE) : free.back();
  if (!free.empty()) free.pop_back();
  auto* chunk = static_cast<_PyStackChunk*>(block);
  if (chunk) *chunk = {.previous = nullptr, .size = bytes, .top = 0, .data = {}};
  return chunk;
}

// Calls the function, in a greenlet that has just begun, with its frames in a chunk as long as it needs.
PyObject* call_in_first_chunk(PyObject* function, PyObject* argument) {
  PyThreadState* const thread = PyThreadState_Get();
  _PyStackChunk* const chunk = thread->datastack_chunk ? nullptr : first_chunk();
  if (chunk) {  // as CPython's push_chunk (Python/pystate.c); the first element stays free, or the chunk would go
    thread->datastack_chunk = chunk;
    thread->datastack_top = &chunk->data[1];
    thread->datastack_limit = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(chunk) + chunk->size);
  }
  return PyObject_CallOneArg(function, argument);
}

PyMethodDef calling{"run", call_in_first_chunk, METH_O, nullptr};

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

void pysmpi_shorten_frames(void* list) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  auto* const functions = static_cast<PyObject*>(list);
  PyObject* const function = PyList_GetItem(functions, 0);
  PyObject* const caller = PyCFunction_New(&pysmpi::calling, function);
  if (caller) PyList_SetItem(functions, 0, caller);
  PyGILState_Release(gil);
}
