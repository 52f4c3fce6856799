// A rank's view of a file: consecutive copies of a filetype cover the file, and only the bytes in the filetype's pieces
// are visible. Positions in a view count bytes of data; holes do not count.
//
// Example: a filetype with 4 bytes of data and an extent of 12 bytes, displacement 100. Data bytes 0 to 3 are file
// bytes 100 to 103, data bytes 4 to 7 are file bytes 112 to 115.
#pragma once

#include <algorithm>
#include <cstdint>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// Returns whether the filetype's pieces are in ascending order from the beginning of the file, as MPI requires (MPI
// 4.1, section 14.3). If `apart` is set, the pieces must not overlap either.
bool is_filetype(const Datatype& filetype, bool apart);

struct View {
  std::int64_t displacement;  // bytes from the beginning of the file
  const Datatype* filetype;

  // Returns the file offset of the data byte at this position.
  std::int64_t offset(std::int64_t place) const;

  // Returns the number of data bytes before this file offset.
  std::int64_t bytes_before(std::int64_t offset) const;

  // Calls visit(file offset, bytes) for each run of contiguous bytes from `place` on, until `visit` returns false.
  template <class Visit>
  void visit(std::int64_t place, std::int64_t bytes, Visit visit) const;
};

template <class Visit>
void View::visit(std::int64_t place, std::int64_t bytes, Visit visit) const {
  if (bytes <= 0) return;
  if (filetype->contiguous) {
    visit(displacement + place, bytes);
    return;
  }
  std::int64_t begin = 0, length = 0;  // current run, extended by adjacent pieces
  bool going = true;
  const auto take = [&](std::int64_t at, std::int64_t count, std::int64_t stride, std::int64_t each) {
    for (std::int64_t i = 0; i < count && going; ++i, at += stride) {
      if (length > 0 && at == begin + length) {
        length += each;
        continue;
      }
      if (length > 0) going = visit(begin, length);
      begin = at;
      length = each;
    }
  };
  std::int64_t copy = displacement + place / filetype->size * filetype->extent;
  std::int64_t skip = place % filetype->size;
  for (; bytes > 0 && going; copy += filetype->extent) {
    for (const Piece& piece : *filetype->layout) {
      if (bytes == 0 || !going) break;
      walk(piece, copy, skip, bytes, take);
    }
  }
  if (going) visit(begin, length);
}

}  // namespace pysmpi
