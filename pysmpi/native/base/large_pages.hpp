// An allocator for long arrays that are read in no order, such as those indexed by cable or by message. With a million
// ranks, nearly every access to them also misses the processor's table of pages (TLB); large pages need few entries.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace pysmpi {

inline constexpr std::size_t kLargePage = std::size_t{2} << 20;  // bytes

template <class Thing>
struct LargePages {
  using value_type = Thing;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  Thing* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(Thing);
    if (!is_long(bytes)) return static_cast<Thing*>(::operator new(bytes, kAlignment));
    void* const memory = ::operator new(bytes, kPage);
    madvise(memory, bytes, MADV_HUGEPAGE);  // where the system refuses, pages are small
    return static_cast<Thing*>(memory);
  }

  void deallocate(Thing* memory, std::size_t count) {
    ::operator delete(memory, is_long(count * sizeof(Thing)) ? kPage : kAlignment);
  }

  template <class Other>
  bool operator==(const LargePages<Other>&) const {
    return true;
  }

 private:
  static constexpr std::align_val_t kPage{kLargePage}, kAlignment{64};  // bytes
  // Shorter arrays keep small pages, because the last large page of an array may be used in part only.
  static constexpr std::size_t kShortest = std::size_t{16} << 20;
  static bool is_long(std::size_t bytes) { return bytes >= kShortest; }
};

}  // namespace pysmpi
