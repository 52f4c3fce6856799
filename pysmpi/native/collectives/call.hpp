// A collective called by the running rank: blocking, nonblocking and persistent ones are the same schedule.
#pragma once

#include "collectives/arguments.hpp"
#include "schedule/ledger.hpp"

namespace pysmpi {

// Where a side of the call says MPI_IN_PLACE, its buffer is this.
inline void* const kInPlace = reinterpret_cast<void*>(-1);

// The arguments are checked.
struct CollectiveCall {
  Operation operation = Operation::kBarrier;
  Communicator* communicator = nullptr;
  Arguments a;
  CollectiveSignature signature;
};

// MPI_IN_PLACE, and buffers and count vectors on the C stack, are seen to here. All return an MPI error code, the
// communicator's error handler having been called.

// Runs it to its end with the rank blocked. The call need not stay where it is once the rank has blocked.
int run_collective(const CollectiveCall& call);

// Begins it. The request is complete once this rank's part is done. The engine carries it on whatever the rank does
// meanwhile, but for a program's own reduction, which runs when the rank is inside an MPI call. It costs what its
// messages cost; the overheads of its sends and receives (smpi/os, ois, or) pass in parallel to the rank.
int start_collective(const CollectiveCall& call, RequestId& id);

// The two halves of it, for persistent ones: the rank enters the communicator's next nonblocking collective; and its
// schedule begins once more. The count vectors stay where they are until it ends.
struct Entry {
  std::uint32_t sequence = 0;    // the collective's number
  ElementLength sent, received;  // these and the rest: of the rank that entered first
  bool nodes_known = false;
};
int enter_nonblocking(const CollectiveCall& call, Entry& entry);
int start_again(const CollectiveCall& call, const Entry& entry, RequestId& id);

// Why a collective has failed, in words.
std::string describe_in_collective(const Fault& fault);

}  // namespace pysmpi
