// Collectives that some ranks of a communicator have entered and others not yet: what each rank's call says, against
// that of the first one. In constant time and memory a rank, but for functions whose arguments are vectors, where both
// go by their length.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "collectives/call.hpp"
#include "instrumentation/check/findings.hpp"

namespace pysmpi {

// Data that two sides describe.
struct Amount {
  std::int64_t count = 0, bytes = 0;
  std::int32_t type = 0;
  std::uint64_t print = 0;   // of the type signature; of vectors, of all
  std::uint64_t counts = 0;  // of vectors: of their numbers of bytes
  bool untyped = false;
};

// What one rank sends to another is what that one receives: both add it to these, with opposite signs.
struct Balance {
  std::int64_t bytes = 0;
  std::uint64_t lengths = 0, print = 0;  // sums of numbers that tell the pairs of ranks apart
};

struct Meeting {
  Party first;
  const char* call;
  bool in_place;
  struct Said {
    Party party;
    std::int32_t value, argument;
  };
  std::optional<Said> root;       // in MPI_COMM_WORLD, and as the argument
  std::optional<Said> reduction;  // handle of a predefined operation; 0: a program's own
  std::int32_t ranks = 0;         // how many have entered

  // What all ranks say the same of; of an intercommunicator's two directions or groups.
  struct Uniform {
    Party party;
    Amount amount;
  };
  std::optional<Uniform> uniform[2];

  // Of gathers and scatters: the root's blocks, one for all or one a rank; and who has come before it.
  std::optional<Party> root_party;
  std::vector<Amount> blocks;
  struct Other {
    std::int32_t rank;
    Party party;
    Amount amount;
  };
  std::vector<Other> others;

  // Of functions by which each rank sends to some others, by rank; and where those are. Those of the second group of an
  // intercommunicator follow those of the first.
  std::vector<Balance> senders, receivers;
  std::vector<Party> parties;
  bool untyped = false;
};

class Meetings {
 public:
  void enter(const CollectiveCall& call, std::uint32_t sequence, const Party& own);

 private:
  std::unordered_map<std::uint64_t, Meeting> under_way_;  // by context, kind and number; looked up, never iterated
};

}  // namespace pysmpi
