// A growing array of plain values that moves its pages when it grows, instead of copying its contents. While
// std::vector grows, old and new contents exist together, which for arrays of gigabytes decides whether a run fits into
// memory. Room that has not been written takes no memory.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

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
  ~GrowingArray() { std::free(first_); }

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
  void reserve(std::size_t room) {
    void* const grown = std::realloc(static_cast<void*>(first_), room * sizeof(T));
    if (!grown) throw std::bad_alloc();
    first_ = static_cast<T*>(grown);
    room_ = room;
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
