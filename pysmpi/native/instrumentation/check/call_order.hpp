// The order of collective calls: the n-th collective call of each member of a communicator must be a call of the same
// MPI function. Calls on a window or file count on the communicator that the window or file has for itself. Blocking
// and nonblocking calls are in one order (MPI 4.1, section 6.12).
//
// Example: rank 0 calls MPI_Bcast, then MPI_Comm_dup; rank 1 calls them the other way round. The first calls of the two
// ranks differ, and are reported; the second calls are not, because they follow from the first mistake.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "instrumentation/check/findings.hpp"
#include "matching/communicator.hpp"

namespace pysmpi {

class CallOrder {
 public:
  // Compare a call of the rank on the communicator with the call of the member that made its n-th call first.
  void enter(const Communicator& communicator, const char* function, const Party& own);

  // At the end of a program that has not failed: report calls that some members have made and others not.
  void report_missing();

 private:
  struct Called {
    const char* function;
    Party first;
    std::int32_t ranks = 0;  // number of members that have made the call
  };
  // The calls on one communicator. The oldest call in `pending` has the number `first`, counted from 0.
  struct Order {
    std::deque<Called> pending;
    std::uint32_t first = 0;
    std::vector<std::uint32_t> made;  // number of calls of each member
    std::vector<RankId> members;      // world ranks; in an intercommunicator, first one group, then the other
    std::string title;
    bool differs = false;  // a mismatch was reported
  };

  std::map<std::uint32_t, Order> by_context_;  // contexts are never reused
};

// Return " on TITLE", or an empty text for MPI_COMM_WORLD.
std::string on(const Communicator& communicator);

}  // namespace pysmpi
