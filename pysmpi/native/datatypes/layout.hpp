// Where the bytes of a datatype lie: nested lists of pieces, each repeated at a stride. A list is as long as the
// arguments of the constructor that made it, however many pieces of memory it stands for: types refer to the lists of
// the types they are made of, and what is regular becomes one repeated piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace pysmpi {

struct Piece;
using Layout = std::vector<Piece>;

struct Piece {
  std::int64_t offset;                  // bytes from the start of the element, or of the list's place in another one
  std::int64_t count, stride;           // it is there `count` times (at least once), this many bytes apart
  std::int64_t length;                  // bytes of each time, packed; at least one
  std::shared_ptr<const Layout> inner;  // what it is made of; null when it is `length` bytes in a row
};

// Hands the bytes of pieces at `base` to `visit` in the order of the type map, leaving out the first `skip` bytes and
// ending after `left` more; both are counted down. `visit(first, count, stride, length)`: pieces of memory, or, where
// places are numbers, of a file.
template <class Place, class Visit>
void walk(const Piece& piece, Place base, std::int64_t& skip, std::int64_t& left, Visit& visit) {
  std::int64_t i = 0;
  if (skip > 0) {
    i = std::min(piece.count, skip / piece.length);
    skip -= i * piece.length;
  }
  Place at = base + piece.offset + i * piece.stride;
  if (piece.inner) {
    for (; i < piece.count && left > 0; ++i, at += piece.stride) {
      for (const Piece& part : *piece.inner) {
        if (left == 0) return;
        walk(part, at, skip, left, visit);
      }
    }
    return;
  }
  if (i < piece.count && left > 0 && (skip > 0 || left < piece.length)) {
    const std::int64_t part = std::min(piece.length - skip, left);
    visit(at + skip, std::int64_t{1}, std::int64_t{0}, part);
    skip = 0;
    left -= part;
    ++i;
    at += piece.stride;
  }
  const std::int64_t whole = std::min(piece.count - i, left / piece.length);
  if (whole > 0) {
    visit(at, whole, piece.stride, piece.length);
    left -= whole * piece.length;
    i += whole;
    at += whole * piece.stride;
  }
  if (i < piece.count && left > 0) {
    visit(at, std::int64_t{1}, std::int64_t{0}, left);
    left = 0;
  }
}

// Adds a piece to a list that is being made: joins it to the last one where that can be, and does without a level of
// nesting where one repetition is enough.
void append(Layout& layout, Piece piece);

}  // namespace pysmpi
