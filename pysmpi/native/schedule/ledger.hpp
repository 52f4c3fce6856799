// Collectives that some ranks of a communicator have entered and others not yet: what each of them is, so that calls
// that do not match are an error that says who called what, instead of a hang or wrong data.
#pragma once

#include <cstdint>
#include <string>

#include "matching/communicator.hpp"

namespace pysmpi {

struct CollectiveSignature {
  const char* call = nullptr;  // "MPI_Bcast"
  std::int32_t root = -1;      // -1: none
  std::int64_t bytes = -1;     // what all ranks must agree on: of the whole or of one block; -1: nothing
  std::int32_t reduction = 0;  // handle of a predefined operation; 0: none, or a program's own
};

struct CollectiveMismatch {
  std::int32_t error_class = 0;  // 0: matches
  std::string text;
};

// The rank of the communicator enters its collective number `sequence` (NextCollectives). Constant time.
CollectiveMismatch enter_collective(const Communicator& communicator, std::int32_t rank, std::uint32_t sequence,
                                    const CollectiveSignature& signature);

void clear_ledgers();

}  // namespace pysmpi
