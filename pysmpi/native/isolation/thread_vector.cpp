// A trial of the thread vector's layout with a variable of this library.
#include "isolation/thread_vector.hpp"

#include <link.h>

#include <cstdint>
#include <utility>

extern "C" void* __tls_get_addr(void* index);

namespace pysmpi {

namespace {

constexpr int kFirst = 0x5eed;
thread_local volatile int probe = kFirst;

// Return the address of the variable in the calling thread. The compiler may not remember the address of an earlier
// call.
[[gnu::noinline]] volatile int* find_probe() {
  __asm__ volatile("" ::: "memory");
  return &probe;
}

struct ThisLibrary {
  std::size_t number = 0;
  std::size_t size = 0;  // bytes of a thread's block
};

// Return the number of the library to which this code belongs.
ThisLibrary this_library() {
  std::pair<std::uintptr_t, ThisLibrary> search{reinterpret_cast<std::uintptr_t>(&find_probe), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [code, library] = *static_cast<std::pair<std::uintptr_t, ThisLibrary>*>(data);
        bool is_here = false;
        std::size_t size = 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & part = info->dlpi_phdr[i];
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          if (part.p_type == PT_LOAD && code >= begin && code < begin + part.p_memsz) is_here = true;
          if (part.p_type == PT_TLS) size = part.p_memsz;
        }
        if (is_here) library = {info->dlpi_tls_modid, size};
        return static_cast<int>(is_here);
      },
      &search);
  return search.second;
}

bool lies_in(const volatile void* address, const void* block, std::size_t size) {
  const auto at = reinterpret_cast<std::uintptr_t>(address), begin = reinterpret_cast<std::uintptr_t>(block);
  return at >= begin && at < begin + size;
}

bool try_out() {
  volatile int* const before = find_probe();
  const ThisLibrary library = this_library();
  if (library.number == 0) return false;
  void* const block = block_of_library(library.number);
  const ThreadVector vector = ThreadVector::current();
  if (!vector.has(library.number) || vector[library.number].address != block) return false;
  if (!lies_in(before, block, library.size)) return false;
  if (!vector[library.number].allocated) return true;  // a block beside the thread's record stays where it is
  *before = kFirst + 1;
  const ThreadBlock old = std::exchange(vector[library.number], {kUnallocated, nullptr});
  volatile int* const fresh = find_probe();
  const bool is_fresh = fresh != before && *fresh == kFirst;
  const ThreadBlock made = std::exchange(ThreadVector::current()[library.number], old);
  const bool is_back = find_probe() == before && *before == kFirst + 1;
  *before = kFirst;
  if (!is_fresh || !is_back || !made.allocated || !lies_in(fresh, made.address, library.size)) return false;
  std::free(made.allocated);
  return true;
}

}  // namespace

void* block_of_library(std::size_t library) {
  std::size_t index[2] = {library, 0};
  return __tls_get_addr(index);
}

bool is_thread_vector_known() {
#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
  static const bool known = try_out();
  return known;
#else
  return false;
#endif
}

}  // namespace pysmpi
