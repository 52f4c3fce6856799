#include "memory/layout.hpp"

namespace pysmpi {
namespace {

// Without a level that repeats nothing.
void flatten(Piece& piece) {
  if (piece.count == 1) piece.stride = 0;
  while (piece.inner && piece.inner->size() == 1) {
    const Piece inner = piece.inner->front();
    if (piece.count > 1 && inner.count > 1 && piece.stride != inner.count * inner.stride) return;
    piece = {piece.offset + inner.offset, piece.count * inner.count, inner.count > 1 ? inner.stride : piece.stride,
             inner.length, inner.inner};
  }
  if (!piece.inner && piece.count > 1 && piece.stride == piece.length) {
    piece.length *= piece.count;
    piece.count = 1;
    piece.stride = 0;
  }
}

bool join(Piece& last, const Piece& next) {
  if (!last.inner && !next.inner && last.count == 1 && next.count == 1 && last.offset + last.length == next.offset) {
    last.length += next.length;
    return true;
  }
  if (last.length != next.length || last.inner != next.inner) return false;
  const std::int64_t stride = last.count > 1 ? last.stride : next.count > 1 ? next.stride : next.offset - last.offset;
  if ((next.count > 1 && next.stride != stride) || next.offset != last.offset + last.count * stride) return false;
  last.count += next.count;
  last.stride = stride;
  return true;
}

}  // namespace

void append(Layout& layout, Piece piece) {
  flatten(piece);
  if (layout.empty() || !join(layout.back(), piece)) layout.push_back(std::move(piece));
}

}  // namespace pysmpi
