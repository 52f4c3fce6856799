// The ledger lists the collectives that some ranks of a communicator have entered and others have not entered yet. With
// the ledger, mismatched calls cause an error that names the ranks and calls, instead of a hang or wrong data.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "matching/communicator.hpp"

namespace pysmpi {

// Size and extent of a datatype, in bytes. Size 0 means that the datatype is not compared.
struct ElementLength {
  std::int64_t size = 0, extent = 0;
  bool operator==(const ElementLength&) const = default;
};

// The arguments of a collective call that must be consistent on all ranks.
struct CollectiveSignature {
  const char* call = nullptr;  // for example "MPI_Bcast"
  std::int32_t root = -1;      // -1: none
  // Size in bytes of the whole data or of one block, on which all ranks must agree; -1 if they need not agree on a
  // size.
  std::int64_t bytes = -1;
  std::int32_t reduction = 0;  // handle of a predefined operation; 0 without operation or for a user-defined one
  // Size and extent of the datatypes sent and received, in collectives in which all ranks send, or receive, equal
  // amounts.
  ElementLength sent = {}, received = {};
  bool nodes_known = false;  // a collective has already discovered the nodes
};

// The result of a comparison: an MPI error class, and a text that names both calls.
struct CollectiveMismatch {
  std::int32_t error_class = 0;  // 0: the call matches
  std::string text;
};

// Record that a rank enters the communicator's collective number `sequence` (see NextCollectives), and compare its call
// with the call of the rank that entered first. Returns the mismatch; its error class is 0 if the calls match. So that
// all ranks run the same algorithm with the same elements, some fields of `signature` are overwritten: `sent` and
// `received` by the values of the first rank that gave them, `nodes_known` by the value of the rank that entered first.
CollectiveMismatch enter_collective(const Communicator& communicator, std::int32_t rank, std::uint32_t sequence,
                                    CollectiveSignature& signature);

// Collectives that some ranks have entered and others have not.
struct Ledgers : SimulationPart<Ledgers> {
  struct Entered {
    CollectiveSignature signature;
    ElementLength sent[2], received[2];  // one for each group of an intercommunicator; otherwise only the first is used
    std::int32_t first_rank;             // rank that entered first
    std::int32_t ranks = 0;              // number of ranks that have entered
  };
  struct Ledger {
    // Sequence number of the oldest collective that not all ranks have entered. The numbers increase by 2, because
    // blocking collectives have even numbers and nonblocking ones odd numbers.
    std::uint32_t first = 0;
    std::deque<Entered> entered;
  };

  // Ledgers by context (plus 1 for nonblocking collectives). Ledgers are only looked up, so their order does not
  // matter.
  std::unordered_map<std::uint32_t, Ledger> by_context;
};

}  // namespace pysmpi
