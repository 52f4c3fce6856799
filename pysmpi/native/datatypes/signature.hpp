// Type signatures: a datatype's basic items in the order of the type map. They are run-length coded and nested like
// layouts (datatypes/layout.hpp), but contain no positions.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace pysmpi {

struct Predefined;
struct Run;
using Signature = std::vector<Run>;

struct Run {
  std::int64_t count;                       // repetitions, at least 1
  std::int64_t bytes;                       // packed bytes of one repetition
  const Predefined* item;                   // null if nested
  std::shared_ptr<const Signature> nested;  // null for an item
};

void append(Signature& signature, Run run);

// items_in returns the number of basic items in `bytes` bytes of packed elements (as MPI_Get_elements counts), or -1 if
// the last item is incomplete. bytes_of returns the number of bytes of `items` basic items.
std::int64_t items_in(const Signature& signature, std::int64_t size, std::int64_t bytes);
std::int64_t bytes_of(const Signature& signature, std::int64_t size, std::int64_t items);

}  // namespace pysmpi
