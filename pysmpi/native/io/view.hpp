// What a rank sees of a file: copies of a filetype one after the other, and in each of them its pieces. Places in a
// view are counted in bytes of data, with the holes left out.
#pragma once

#include <algorithm>
#include <cstdint>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// The pieces lie one behind the other from the beginning of the file on, as they must (MPI 4.1, section 14.3), and
// where `apart` do not overlap.
bool is_filetype(const Datatype& filetype, bool apart);

struct View {
  std::int64_t displacement;  // bytes from the beginning of the file
  const Datatype* filetype;

  // Where the byte of data at this place is in the file.
  std::int64_t offset(std::int64_t place) const;

  // How many bytes of data lie before this offset in the file.
  std::int64_t bytes_before(std::int64_t offset) const;

  // Calls visit(offset in the file, bytes) for each run of bytes from a place on, until it returns false.
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
  std::int64_t begin = 0, length = 0;  // of a run, which adjacent pieces make longer
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
