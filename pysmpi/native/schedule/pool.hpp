// Memory for what lives as long as one collective: coroutine frames and temporary buffers. Freed blocks are kept by
// size class, so that the steady state allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace pysmpi {

void* take_block(std::size_t bytes);
void give_block(void* block, std::size_t bytes);  // `bytes` as when it was taken

// Room for `count` elements of a datatype, or folded memory where nothing is ever read or written.
class Scratch {
 public:
  Scratch() = default;
  // `like`: when this buffer of the program is folded memory, so is the room.
  Scratch(std::int64_t count, std::int32_t type, const void* like);
  explicit Scratch(std::int64_t bytes);
  Scratch(Scratch&& other) noexcept { swap(other); }
  Scratch& operator=(Scratch&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Scratch();

  // Where the first element is; its true bytes may begin before or after (MPI's lower bound).
  char* data() const { return first_; }

 private:
  void swap(Scratch& other) noexcept {
    std::swap(block_, other.block_);
    std::swap(bytes_, other.bytes_);
    std::swap(first_, other.first_);
  }
  void* block_ = nullptr;  // null: folded or empty
  std::size_t bytes_ = 0;
  char* first_ = nullptr;
};

}  // namespace pysmpi
