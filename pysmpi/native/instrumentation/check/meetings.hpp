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

// A balance of bytes sent and received between ranks. The sender adds its view of each transfer and the receiver
// subtracts its own, so the sums are zero if they agree. For example rank 0 sends 8 bytes to rank 1 (+8) and rank 1
// expects 12 from it (-12): the balance of -4 is reported.
struct Balance {
  std::int64_t bytes = 0;
  // Sums of hashes of the number of bytes and of the type signature of each transfer. Each hash includes the pair of
  // ranks, so that errors of different pairs do not cancel out.
  std::uint64_t lengths = 0, print = 0;
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

  // For collectives in which each rank sends to others: the balances by sender and by receiver, and the calls, all
  // indexed by rank. In an intercommunicator, the ranks of the second group follow those of the first.
  std::vector<Balance> senders, receivers;
  std::vector<Party> parties;
  bool untyped = false;
};

class Meetings {
 public:
  // Compare the call with which a rank enters collective number `sequence` of its communicator with the calls of the
  // ranks that have entered it before, and report differences as findings.
  void enter(const CollectiveCall& call, std::uint32_t sequence, const Party& own);

 private:
  // Collectives that some ranks have not entered yet. The key combines the communicator's context, the kind of
  // collective, and its number.
  std::unordered_map<std::uint64_t, Meeting> under_way_;
};

}  // namespace pysmpi
