// Memory for the Python frames of suspended ranks. CPython maps one chunk per greenlet and unmaps it when the greenlet
// ends. If ranks end in any order, this leaves holes between chunks, and each of the remaining pieces is one of the
// 65,530 mappings that the kernel allows. Here chunks are parts of large mappings and are reused.
//
// A rank's first chunk is only as long as the frames that blocked ranks have needed so far, mostly a kilobyte, with
// room for calls that may be deeper. CPython's chunks would take at least one page each. Deeper calls use ordinary
// chunks, which exist only during these calls.
#include <Python.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/simulation.hpp"
#include "rank_memory/blocks.hpp"
#include "rank_memory/c_api.h"

namespace pysmpi::frames {
namespace {

constexpr std::size_t kChunk = 16 * 1024;           // bytes; DATA_STACK_CHUNK_SIZE of CPython 3.11 to 3.14
constexpr std::size_t kMapping = 64 * 1024 * 1024;  // bytes
constexpr std::size_t kKept = 64;  // free chunks that keep their memory for reuse, as threads come and go

constexpr std::size_t kLongestFirst = 3072;  // bytes; a longer first chunk would save nothing
constexpr std::size_t kMostCalls = 1024;     // bytes; room for calls that may be deeper than the first one that blocks

PyObjectArenaAllocator interpreters;   // the interpreter's own allocator, for all other requests
BlockHeap blocks;                      // first chunks
std::vector<std::uintptr_t> mappings;  // addresses of the mappings of ordinary chunks, ascending
std::vector<void*> warm, cold;         // free ordinary chunks: with their memory (at most kKept), and without
std::uintptr_t next = 0, end = 0;      // part of the latest mapping that has not been used yet

bool map_more() {
  void* found = mmap(nullptr, kMapping, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return false;
  madvise(found, kMapping, MADV_NOHUGEPAGE);  // most chunks use only one page
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
  std::vector<void*>& free = warm.empty() ? cold : warm;
  if (!free.empty()) {
    void* chunk = free.back();
    free.pop_back();
    return chunk;
  }
  if (next == end && !map_more()) return nullptr;
  void* chunk = reinterpret_cast<void*>(next);
  next += kChunk;
  return chunk;
}

void release(void*, void* memory, std::size_t bytes) {
  if (bytes <= kLongestFirst && blocks.length(memory) > 0) {
    blocks.give_back(memory);
  } else if (bytes != kChunk || !is_ours(memory)) {
    interpreters.free(interpreters.ctx, memory, bytes);
  } else if (warm.size() < kKept) {
    warm.push_back(memory);
  } else {
    madvise(memory, kChunk, MADV_DONTNEED);
    cold.push_back(memory);
  }
}

// Allocates the first chunk of a greenlet, with room for the largest amount of Python frames that a blocked rank has
// had so far, and for calls of the program's functions: all ranks start before the first of them goes on and blocks at
// another depth. Returns null if no rank has blocked yet, or if the amount exceeds kLongestFirst.
_PyStackChunk* first_chunk() {
  const Simulation& engine = simulation();
  if (engine.deepest_frames == 0 || engine.deepest_frames > kLongestFirst) return nullptr;
  const std::size_t bytes = engine.deepest_frames + std::min(engine.frames_of_calls, kMostCalls);
  auto* const chunk = static_cast<_PyStackChunk*>(blocks.take(std::min(bytes, kLongestFirst)));
  if (chunk) *chunk = {.previous = nullptr, .size = blocks.length(chunk), .top = 0, .data = {}};
  return chunk;
}

// Calls the function of a greenlet that has just started, with its Python frames in the chunk from first_chunk.
PyObject* call_in_first_chunk(PyObject* function, PyObject* argument) {
  PyThreadState* const thread = PyThreadState_Get();
  _PyStackChunk* const chunk = thread->datastack_chunk ? nullptr : first_chunk();
  // Install the chunk as CPython's push_chunk does (Python/pystate.c). Its first element stays unused, because CPython
  // would free the chunk when the frame there ends.
  if (chunk) {
    thread->datastack_chunk = chunk;
    thread->datastack_top = &chunk->data[1];
    thread->datastack_limit = reinterpret_cast<PyObject**>(reinterpret_cast<char*>(chunk) + chunk->size);
  }
  return PyObject_CallOneArg(function, argument);
}

PyMethodDef calling{"run", call_in_first_chunk, METH_O, nullptr};

}  // namespace
}  // namespace pysmpi::frames

void pysmpi_pool_frames(void) {
  using namespace pysmpi::frames;
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
  PyObject* const caller = PyCFunction_New(&pysmpi::frames::calling, function);
  if (caller) PyList_SetItem(functions, 0, caller);
  PyGILState_Release(gil);
}
