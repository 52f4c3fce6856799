// A buffer as contiguous bytes, for algorithms that cut it at any byte.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

// The bytes of a buffer in a row: the buffer itself if its elements are contiguous, else a packed copy.
class Packed {
 public:
  // `filled`: the buffer has contents to be packed; false if it is only written to.
  Packed(void* buffer, std::int64_t count, std::int32_t type, bool filled)
      : buffer_(buffer), count_(count), type_(type), size_(count == 0 ? 0 : count * find_datatype(type)->size) {
    in_row_ = count == 0 || find_datatype(type)->contiguous;
    if (in_row_) return;
    copy_ = Scratch(size_, kByte, buffer);
    if (filled) local_copy(buffer, count, type, copy_.data(), size_, kByte);
  }

  char* data() const { return in_row_ ? static_cast<char*>(buffer_) : copy_.data(); }
  std::int64_t size() const { return size_; }
  void unpack() const {  // copies the received bytes back to the buffer
    if (!in_row_) local_copy(copy_.data(), size_, kByte, buffer_, count_, type_);
  }

 private:
  void* buffer_;
  std::int64_t count_;
  std::int32_t type_;
  std::int64_t size_;
  bool in_row_;
  Scratch copy_;
};

}  // namespace pysmpi
