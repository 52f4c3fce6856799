// Temporary buffers that live as long as one collective, from the pool of blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/block_pool.hpp"

namespace pysmpi {

// A temporary buffer for `count` elements of a datatype, or folded memory (rank_memory/folded.hpp), which is never read
// or written.
class Scratch {
 public:
  // First writer of the buffer, whose memory may be new: the network card, which writes all of it or a half, or a core
  // that copies.
  enum class FilledBy : std::uint8_t { kCard, kCardByHalf, kCore };

  Scratch() = default;
  // Allocates the buffer; it is folded memory if `like`, a buffer of the program, is folded memory. `allocated`: bytes
  // of the library's buffer, if these are more.
  Scratch(std::int64_t count, std::int32_t type, const void* like, FilledBy filled_by = FilledBy::kCard,
          std::int64_t allocated = 0);
  explicit Scratch(std::int64_t bytes);
  Scratch(Scratch&& other) noexcept { swap(other); }
  Scratch& operator=(Scratch&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Scratch();

  // Address of the first element. The element's data may begin before or after this address (MPI's lower bound).
  char* data() const { return first_; }

 private:
  void swap(Scratch& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
    std::swap(first_, other.first_);
  }
  void* block_ = nullptr;  // null if the buffer is folded or empty
  std::size_t bytes_ = 0;
  char* first_ = nullptr;
};

}  // namespace pysmpi
