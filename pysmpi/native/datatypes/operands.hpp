// Which reductions a library defines on a predefined datatype, and as which numbers it combines the elements. MPI 4.1,
// section 6.9.2, has a table of this; libraries allow more or less (docs/libraries.md).
#pragma once

#include <cstdint>

#include "datatypes/datatype.hpp"
#include "datatypes/reduction.hpp"

namespace pysmpi {

struct Operand {
  Basic basic = Basic::kMixed;      // type of the arithmetic
  std::uint16_t operations = 0;     // bits of the defined operations, by ReductionKind
  bool by_vectors = false;          // Open MPI: operations of 16 bytes at a time, which have other rules than the rest
  bool recovers_infinities = true;  // complex products follow annex G of C

  bool defines(ReductionKind kind) const { return (operations >> static_cast<unsigned>(kind) & 1U) != 0; }
};

// Returns the operand for elements of this type under the library whose behaviour is followed. A derived type has that
// of its items, if they are all of one basic type.
const Operand& operand_of(const Datatype& type);

}  // namespace pysmpi
