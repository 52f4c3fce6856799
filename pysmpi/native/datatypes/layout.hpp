// Memory layouts of datatypes: nested lists of pieces, each repeated at a stride. A list is only as long as the
// arguments of its constructor, however many pieces of memory it describes. Types share the lists of their component
// types, and regular patterns become one repeated piece.
//
// Example: MPI_Type_vector(3, 2, 4, MPI_INT) is one piece {offset 0, count 3, stride 16, length 8}. Two such vectors,
// 100 bytes apart, are one piece {offset 0, count 2, stride 100, length 24} whose `inner` is the list of the vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace pysmpi {

struct Piece;
using Layout = std::vector<Piece>;

struct Piece {
  std::int64_t offset;                  // bytes from the start of the element or of the enclosing piece
  std::int64_t count, stride;           // repetitions (at least 1), and bytes between their starts
  std::int64_t length;                  // packed bytes of one repetition (at least 1)
  std::shared_ptr<const Layout> inner;  // contents of one repetition, or null for `length` contiguous bytes
};

// Returns the address `bytes` behind `address`, which need not lie in the same object: offsets of a datatype may be
// absolute addresses, whose buffer is MPI_BOTTOM.
inline char* shifted(const void* address, std::int64_t bytes) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes));
}
inline std::int64_t shifted(std::int64_t place, std::int64_t bytes) { return place + bytes; }  // for offsets in a file

// Calls visit(first, count, stride, length) for the pieces at `base` in the order of the type map. Skips the first
// `skip` bytes and ends after `left` further bytes; both are decremented. A Place is a pointer to memory or an offset
// in a file.
template <class Place, class Visit>
void walk(const Piece& piece, Place base, std::int64_t& skip, std::int64_t& left, Visit& visit) {
  std::int64_t i = 0;
  if (skip > 0) {
    i = std::min(piece.count, skip / piece.length);
    skip -= i * piece.length;
  }
  Place at = shifted(base, piece.offset + i * piece.stride);
  if (piece.inner) {
    for (; i < piece.count && left > 0; ++i, at = shifted(at, piece.stride)) {
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
    at = shifted(at, piece.stride);
  }
  const std::int64_t whole = std::min(piece.count - i, left / piece.length);
  if (whole > 0) {
    visit(at, whole, piece.stride, piece.length);
    left -= whole * piece.length;
    i += whole;
    at = shifted(at, whole * piece.stride);
  }
  if (i < piece.count && left > 0) {
    visit(at, std::int64_t{1}, std::int64_t{0}, left);
    left = 0;
  }
}

// Appends a piece to a list under construction. Merges it with the last piece if possible, and removes a level of
// nesting that only repeats once.
void append(Layout& layout, Piece piece);

}  // namespace pysmpi
