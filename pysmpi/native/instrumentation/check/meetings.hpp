// Meetings: collectives that some ranks of a communicator have entered and others not yet. The arguments of each rank
// are compared with those of the first. Time and memory per rank are constant, or proportional to the length of vector
// arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "collectives/call.hpp"
#include "instrumentation/check/findings.hpp"

namespace pysmpi {

// An amount of data, as one side of a transfer describes it.
struct Amount {
  std::int64_t count = 0, bytes = 0;
  std::int32_t type = 0;
  // Fingerprint of the type signature; for vector arguments, of all blocks together.
  std::uint64_t print = 0;
  std::uint64_t counts = 0;  // for vector arguments: hash of the numbers of bytes
  bool untyped = false;
};

// Return whether two amounts have the same length, and whether their type signatures may match.
inline bool same_length(const Amount& one, const Amount& other) {
  return one.bytes == other.bytes && one.counts == other.counts;
}
inline bool same_types(const Amount& one, const Amount& other) {
  return one.print == other.print || one.untyped || other.untyped;
}

// The data that one rank sends to another in a collective, as one of the two describes them. Neighbours in a graph may
// exchange several blocks, whose order is not compared.
struct Way {
  std::int64_t bytes = 0;
  std::uint64_t lengths = 0, print = 0;  // sums of hashes of the length and of the type signature of each block
  bool untyped = false;
};

// The data that a rank exchanges with `peer`, as the rank describes them.
struct Exchange {
  std::int32_t peer;
  Way sent, received;
};

// A collective that some ranks have entered, with the arguments to which those of later ranks are compared.
struct Meeting {
  Party first;
  const char* call;
  bool in_place;
  struct Said {
    Party party;
    std::int32_t value, argument;
  };
  // The root of the collective: `value` is its rank in MPI_COMM_WORLD, `argument` the rank that the program passed.
  std::optional<Said> root;
  // The reduction operation: `value` is the handle of a predefined operation, or 0 for a user-defined one.
  std::optional<Said> reduction;
  std::int32_t ranks = 0;  // number of ranks that have entered

  // Arguments that must be equal on all ranks. An intercommunicator has two of them, for its two directions or groups.
  struct Uniform {
    Party party;
    Amount amount;
    std::vector<Amount> blocks;  // parts of the amount, or empty
  };
  std::optional<Uniform> uniform[2];

  // For gathers and scatters, whose amounts are compared with those of the root: the root's call, and the amounts that
  // it passed (one for all ranks, or one for each). Calls of ranks that entered before the root are kept in `others`
  // until then.
  std::optional<Party> root_party;
  std::vector<Amount> blocks;
  struct Other {
    std::int32_t rank;
    Party party;
    Amount amount;
  };
  std::vector<Other> others;

  // For allgathers with a length for each rank: what each rank sends, by place (places.hpp), and what the first rank of
  // each group expects. `expected` has expectations of other ranks that differ from those of the first one, about
  // senders that have not entered yet.
  struct Sent {
    Party party;
    Amount amount;
  };
  struct Expected {
    std::int32_t from;
    Party party;
    Amount amount;
  };
  std::vector<std::optional<Sent>> sent;
  std::optional<Uniform> receivers[2];
  std::vector<Expected> expected;
  std::optional<Expected> own;  // for a rank that expects other data from itself than it sends to itself

  // For collectives in which each pair of ranks exchanges its own amount of data: the ranks that have entered, and for
  // each rank that has not, what the others exchange with it; both by place.
  std::vector<std::optional<Party>> entered;
  std::vector<std::vector<Exchange>> awaiting;
  // The first rank that does not receive from itself what it sends itself. Like `own`, it is reported if no two ranks
  // differ.
  struct Self {
    Party party;
    Exchange exchange;
  };
  std::optional<Self> self;
  bool differs = false;
};

class Meetings {
 public:
  // Compare the arguments with which a rank enters collective number `sequence` of its communicator with those of the
  // ranks that have entered it before, and report differences as findings. CallOrder reports calls of other functions.
  void enter(const CollectiveCall& call, std::uint32_t sequence, const Party& own);

 private:
  // Collectives that some ranks have not entered yet. The key combines the communicator's context, the kind of
  // collective, and its number.
  std::unordered_map<std::uint64_t, Meeting> under_way_;
};

}  // namespace pysmpi
