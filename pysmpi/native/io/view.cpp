// Conversion between positions in a file view and file offsets.
#include "io/view.hpp"

namespace pysmpi {

namespace {

template <class Take>
void visit_copy(const Datatype& filetype, std::int64_t base, const Take& take) {
  std::int64_t skip = 0, left = filetype.size;
  for (const Piece& piece : *filetype.layout) walk(piece, base, skip, left, take);
}

}  // namespace

bool is_filetype(const Datatype& filetype, bool apart) {
  if (filetype.contiguous || filetype.size == 0) return true;
  std::int64_t least = 0, first = -1;
  bool right = true;
  visit_copy(filetype, std::int64_t{0},
             [&](std::int64_t at, std::int64_t count, std::int64_t stride, std::int64_t length) {
               right = right && at >= least && (count == 1 || stride >= (apart ? length : 0));
               if (first < 0) first = at;
               least = at + (count - 1) * stride + (apart ? length : 0);
             });
  return right && filetype.extent >= 0 && first + filetype.extent >= least;  // the next copy begins behind this one
}

std::int64_t View::offset(std::int64_t place) const {
  std::int64_t found = displacement;
  visit(place, 1, [&](std::int64_t offset, std::int64_t) {
    found = offset;
    return false;
  });
  return found;
}

std::int64_t View::bytes_before(std::int64_t offset) const {
  const std::int64_t within = offset - displacement;
  if (within <= 0 || filetype->size == 0) return 0;
  if (filetype->contiguous) return within;
  // Copies of the filetype that lie completely before the offset are counted at once; the pieces of the other copies
  // are counted one by one.
  const std::int64_t extent = std::max<std::int64_t>(filetype->extent, 1);
  const std::int64_t reach = filetype->true_lower_bound + filetype->true_extent;
  const std::int64_t whole = within >= reach ? (within - reach) / extent + 1 : 0;
  std::int64_t bytes = whole * filetype->size;
  const auto count_before = [&](std::int64_t at, std::int64_t count, std::int64_t stride, std::int64_t length) {
    for (std::int64_t i = 0; i < count && at < within; ++i, at += stride) bytes += std::min(within - at, length);
  };
  for (std::int64_t copy = whole * extent; copy + filetype->true_lower_bound < within; copy += extent) {
    visit_copy(*filetype, copy, count_before);
  }
  return bytes;
}

}  // namespace pysmpi
