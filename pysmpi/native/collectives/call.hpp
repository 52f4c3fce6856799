// Entry points for collectives called by the running rank. Nonblocking and persistent calls execute the schedules of
// blocking ones, unless the chosen library has others for them (smpi/nonblocking-collectives).
#pragma once

#include "collectives/arguments.hpp"
#include "datatypes/checks.hpp"
#include "schedule/ledger.hpp"

namespace pysmpi {

// A collective call whose arguments have been checked.
struct CollectiveCall {
  Operation operation = Operation::kBarrier;
  Communicator* communicator = nullptr;
  Arguments a;
  CollectiveSignature signature;
  Algorithm algorithm = nullptr;  // replaces the chosen algorithm if not null; only for buffers of bytes
};

// The functions below resolve MPI_IN_PLACE. They copy buffers and count vectors that lie on the C stack, because all
// ranks share this stack and overwrite it when they run. Each function returns an MPI error code; on an error it has
// already called the communicator's error handler.

// Executes a blocking collective; the rank blocks until its part is done. `call` may be destroyed once the rank is
// blocked.
int run_collective(const CollectiveCall& call);

// Starts a nonblocking collective. The request `id` completes when this rank's part is done. The engine advances the
// schedule while the rank computes; only a reduction defined by the program waits until the rank is inside an MPI call,
// and so do the rounds of a library without a progress thread (smpi/progress).
// The rank does not wait for the overheads of the sends and receives (smpi/os, smpi/ois, smpi/or).
int start_collective(const CollectiveCall& call, RequestId& id);

// A persistent collective enters the communicator's order of collectives once, by enter_persistent, which assigns its
// sequence number and stores it in an Entry. Then each use calls start_again, which starts the schedule. The count
// vectors must stay valid until the schedule ends.
struct Entry {
  std::uint32_t sequence = 0;    // sequence number of the collective
  ElementLength sent, received;  // lengths given by the rank that entered first, as for nodes_known
  bool nodes_known = false;
};
int enter_persistent(const CollectiveCall& call, Entry& entry);
int start_again(const CollectiveCall& call, const Entry& entry, RequestId& id);

// Returns the text of the error message for a failed collective.
std::string describe_in_collective(const Fault& fault);

}  // namespace pysmpi
