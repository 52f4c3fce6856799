// Copying elements from one buffer to another of the same rank.
#pragma once

#include <cstdint>

namespace pysmpi {

// As many elements as both sides have room for, whatever their datatypes. Nothing when either side is folded memory.
void copy(const void* source, std::int64_t source_count, std::int32_t source_type, void* destination,
          std::int64_t destination_count, std::int32_t destination_type);

// Bytes from the first to the last one that `count` elements touch, and where they begin relative to the buffer.
struct Span {
  std::int64_t begin, length;
};
Span span_of(std::int64_t count, std::int32_t type);

}  // namespace pysmpi
