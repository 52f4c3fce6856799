// Copies of elements between two datatypes.
#include "datatypes/copy.hpp"

#include <algorithm>
#include <memory>

#include "datatypes/datatype.hpp"
#include "rank_memory/folded.hpp"
#include "rank_memory/zones.hpp"

namespace pysmpi {

void copy(const void* source, std::int64_t source_count, std::int32_t source_type, void* destination,
          std::int64_t destination_count, std::int32_t destination_type) {
  const Datatype& from = *find_datatype(source_type);
  const Datatype& to = *find_datatype(destination_type);
  const std::int64_t bytes = std::min(source_count * from.size, destination_count * to.size);
  const bool same = source == destination && source_type == destination_type;  // both may be MPI_BOTTOM
  if (bytes <= 0 || same || is_folded(source) || is_folded(destination)) return;
  if (from.contiguous && to.contiguous) {
    move_bytes(destination, source, bytes);
  } else if (from.contiguous) {
    unpack(to, source, bytes, destination);
  } else {
    const std::unique_ptr<char[]> packed(new char[source_count * from.size]);
    pack(from, source, source_count, packed.get());
    if (to.contiguous) {
      move_bytes(destination, packed.get(), bytes);
    } else {
      unpack(to, packed.get(), bytes, destination);
    }
  }
}

Span span_of(std::int64_t count, std::int32_t type) {
  if (count <= 0) return {0, 0};
  const Datatype& elements = *find_datatype(type);
  const std::int64_t step = (count - 1) * elements.extent;  // negative if the extent is negative
  return {elements.true_lower_bound + std::min<std::int64_t>(step, 0), elements.true_extent + std::abs(step)};
}

}  // namespace pysmpi
