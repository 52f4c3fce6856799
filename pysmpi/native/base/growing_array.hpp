// A growing array of plain values that moves its pages when it grows, instead of copying its contents. While
// std::vector grows, old and new contents exist together, which for arrays of gigabytes decides whether a run fits into
// memory. Room that has not been written takes no memory. Long arrays are in large pages (base/large_pages.hpp).
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

#include "base/large_pages.hpp"

namespace pysmpi {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  GrowingArray() = default;
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GrowingArray() {
    if (is_long(room_)) {
      munmap(static_cast<void*>(first_), bytes_of(room_));
    } else {
      std::free(first_);
    }
  }

  std::size_t size() const { return size_; }
  T* data() { return first_; }
  const T* data() const { return first_; }
  T& operator[](std::size_t at) { return first_[at]; }
  const T& operator[](std::size_t at) const { return first_[at]; }

  // Make the array longer. New entries are not initialised.
  void grow(std::size_t size) {
    if (size <= size_) return;
    if (size > room_) reserve(size > 2 * room_ ? size : 2 * room_);
    size_ = size;
  }
  void grow(std::size_t size, const T& value) {
    const std::size_t before = size_;
    grow(size);
    for (std::size_t at = before; at < size; ++at) first_[at] = value;
  }

 private:
  static constexpr std::size_t kShortest = std::size_t{32} << 20;  // bytes; shorter arrays keep small pages

  static bool is_long(std::size_t room) { return room * sizeof(T) >= kShortest; }
  static std::size_t bytes_of(std::size_t room) {
    return (room * sizeof(T) + kLargePage - 1) / kLargePage * kLargePage;
  }

  void reserve(std::size_t room) {
    void* const grown = is_long(room) ? map(room) : std::realloc(static_cast<void*>(first_), room * sizeof(T));
    if (!grown) throw std::bad_alloc();
    first_ = static_cast<T*>(grown);
    room_ = room;
  }

  // Move the array to an address at which large pages can begin. Its large pages move without being divided. Returns
  // null if address space is exhausted.
  void* map(std::size_t room) const {
    const std::size_t bytes = bytes_of(room);
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const found = mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, kFlags, -1, 0);
    if (found == MAP_FAILED) return nullptr;
    char* const begin = static_cast<char*>(found);
    const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(found) % kLargePage) % kLargePage;
    char* const first = begin + before;
    if (before > 0) munmap(begin, before);
    munmap(first + bytes, kLargePage - before);
    if (!is_long(room_)) {
      if (first_) std::memcpy(first, first_, size_ * sizeof(T));
      std::free(first_);
    } else if (mremap(first_, bytes_of(room_), bytes, MREMAP_MAYMOVE | MREMAP_FIXED, first) == MAP_FAILED) {
      return nullptr;
    }
    madvise(first, bytes, MADV_HUGEPAGE);
    return first;
  }
  void swap(GrowingArray& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  T* first_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace pysmpi
