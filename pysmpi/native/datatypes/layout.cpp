// Merging and flattening of layout pieces.
#include "datatypes/layout.hpp"

namespace pysmpi {
namespace {

// Returns whether offset + count * stride equals `next`. The computed position may exceed 63 bits, and so may the
// difference of two positions, so the arithmetic is checked.
bool leads_to(std::int64_t offset, std::int64_t count, std::int64_t stride, std::int64_t next) {
  std::int64_t way = 0, place = 0;
  return !__builtin_mul_overflow(count, stride, &way) && !__builtin_add_overflow(offset, way, &place) && place == next;
}

// Removes levels of nesting that contain a single piece, if one piece can describe both levels.
void flatten(Piece& piece) {
  if (piece.count == 1) piece.stride = 0;
  while (piece.inner && piece.inner->size() == 1) {
    const Piece inner = piece.inner->front();
    if (piece.count > 1 && inner.count > 1 && !leads_to(0, inner.count, inner.stride, piece.stride)) return;
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
  std::int64_t stride = last.count > 1 ? last.stride : next.stride;
  if (last.count == 1 && next.count == 1 && __builtin_sub_overflow(next.offset, last.offset, &stride)) return false;
  if (next.count > 1 && next.stride != stride) return false;
  if (!leads_to(last.offset, last.count, stride, next.offset)) return false;
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
