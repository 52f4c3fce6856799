// What a datatype's bytes mean: its basic items in the order of the type map, run-length coded and nested, as layouts
// are (datatypes/layout.hpp), and without places.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace pysmpi {

struct Predefined;
struct Run;
using Signature = std::vector<Run>;

struct Run {
  std::int64_t count;                       // at least one
  std::int64_t bytes;                       // of each time, packed
  const Predefined* item;                   // null when it is nested
  std::shared_ptr<const Signature> nested;  // null when it is an item
};

void append(Signature& signature, Run run);

// The basic elements that `bytes` of packed elements hold (MPI_Get_elements counts them); -1 when the last one is not
// whole. And the bytes that so many basic elements take.
std::int64_t items_in(const Signature& signature, std::int64_t size, std::int64_t bytes);
std::int64_t bytes_of(const Signature& signature, std::int64_t size, std::int64_t items);

}  // namespace pysmpi
