// Collectives that some ranks of a communicator have entered and others not yet: what each of them is, so that calls
// that do not match are an error that says who called what, instead of a hang or wrong data.
#pragma once

#include <cstdint>
#include <string>

#include "matching/communicator.hpp"

namespace pysmpi {

// Bytes of a datatype's elements. Size 0: there is none that matters.
struct ElementLength {
  std::int64_t size = 0, extent = 0;
  bool operator==(const ElementLength&) const = default;
};

struct CollectiveSignature {
  const char* call = nullptr;  // "MPI_Bcast"
  std::int32_t root = -1;      // -1: none
  std::int64_t bytes = -1;     // what all ranks must agree on: of the whole or of one block; -1: nothing
  std::int32_t reduction = 0;  // handle of a predefined operation; 0: none, or a program's own
  // Of what all ranks send, or receive, the same amount of, each in elements of its own.
  ElementLength sent = {}, received = {};
  bool nodes_known = false;  // some collective has looked for nodes
};

struct CollectiveMismatch {
  std::int32_t error_class = 0;  // 0: matches
  std::string text;
};

// The rank of the communicator enters its collective number `sequence` (NextCollectives). The signature's elements
// become those of the first rank that entered with some, and what is known of nodes what it was as the first one
// entered. Constant time.
CollectiveMismatch enter_collective(const Communicator& communicator, std::int32_t rank, std::uint32_t sequence,
                                    CollectiveSignature& signature);

void clear_ledgers();

}  // namespace pysmpi
