// Counting the basic items that a type map holds (MPI_Get_elements).
#pragma once

#include <cstdint>

#include "memory/datatype.hpp"

namespace pysmpi {

// Basic items in the first `bytes` of packed elements; -1 when the last one is not whole.
std::int64_t items_in(const Datatype& type, std::int64_t bytes);

// Bytes of the first so many basic items of packed elements.
std::int64_t bytes_of_items(const Datatype& type, std::int64_t count);

}  // namespace pysmpi
