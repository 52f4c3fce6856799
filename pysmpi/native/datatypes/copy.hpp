// Copies of elements between buffers of one rank.
#pragma once

#include <cstdint>

namespace pysmpi {

// Copies as many elements as both sides have, for any datatypes. Does nothing if either side is folded memory
// (rank_memory/folded.hpp), whose contents do not matter.
void copy(const void* source, std::int64_t source_count, std::int32_t source_type, void* destination,
          std::int64_t destination_count, std::int32_t destination_type);

// The range from the first to the last byte that elements touch; `begin` is relative to the buffer.
struct Span {
  std::int64_t begin, length;
};
Span span_of(std::int64_t count, std::int32_t type);

}  // namespace pysmpi
