// The layout of derived datatypes. Whatever its constructor, a derived type is a list of blocks of older types at
// displacements; Python (pysmpi/mpi/datatype.py) makes that list.
#pragma once

#include <cstdint>
#include <span>

#include "memory/datatype.hpp"

namespace pysmpi {

struct Block {
  std::int64_t count;         // elements of the type, one extent apart
  std::int64_t displacement;  // bytes
  const Datatype* type;
};

// MPI 4.1, section 5.1: bounds are the extremes over all elements. The extent is rounded up to a multiple of
// `alignment` bytes (the epsilon of structures; 1 for none). Adjacent bytes become one segment.
Datatype compose(std::span<const Block> blocks, std::int64_t alignment);

// The same bytes between other bounds.
Datatype resize(const Datatype& type, std::int64_t lower_bound, std::int64_t extent);

}  // namespace pysmpi
