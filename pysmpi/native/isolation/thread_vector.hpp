// The vector by which a thread finds its blocks of thread-local variables in glibc ("dynamic thread vector", dtv; U.
// Drepper, "ELF Handling for Thread-Local Storage", 2013, section 3). Each loaded library with such variables has a
// number, and the element of this number leads to the thread's block. The layout is glibc's own and not documented.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace pysmpi {

struct ThreadBlock {
  void* address;    // kUnallocated until the thread first uses one of the library's variables
  void* allocated;  // what glibc frees when the thread ends; null if the block lies beside the thread's own record
};

inline void* const kUnallocated = reinterpret_cast<void*>(~std::uintptr_t{0});

class ThreadVector {
 public:
  // The vector of the calling thread. glibc may move it whenever a thread-local variable is used after a library has
  // been loaded, so that it is not to be kept.
  static ThreadVector current() {
    Element* elements = nullptr;
#if defined(__x86_64__)
    __asm__("movq %%fs:8, %0" : "=r"(elements));
#elif defined(__aarch64__)
    Element** record = nullptr;
    __asm__("mrs %0, tpidr_el0" : "=r"(record));
    elements = *record;
#endif
    return ThreadVector(elements);
  }

  // Number of loads and unloads of libraries with thread-local variables that the vector takes account of.
  std::size_t generation() const { return elements_[0].counter; }

  // Return whether the vector has an element for the library. If not, the block has not been allocated yet.
  bool has(std::size_t library) const { return library <= elements_[-1].counter; }

  ThreadBlock& operator[](std::size_t library) const { return elements_[library].block; }

 private:
  union Element {
    std::size_t counter;
    ThreadBlock block;
  };

  explicit ThreadVector(Element* elements) : elements_(elements) {}

  Element* elements_;
};

// Return the address of the calling thread's block, which is allocated if need be.
void* block_of_library(std::size_t library);

// Return whether the layout is the one described here. The test: after an element has been set to kUnallocated, the
// next use of a variable finds another block, with first values, and when the element is restored, the old block.
bool is_thread_vector_known();

}  // namespace pysmpi
