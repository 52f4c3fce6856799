// The nonblocking and persistent collectives of Open MPI: the schedules of its component libnbc (ompi/mca/coll/libnbc
// of 5.0; Hoefler, Lumsdaine, Rehm, "Implementation and Performance Analysis of Non-Blocking Collective Operations for
// MPI", SC 2007). The same component serves all communicators, also those on which HAN carries out the blocking calls.
//
// A schedule consists of rounds. The messages of a round are posted together, and the next round begins when they are
// complete. The call itself posts the first round. Later rounds begin while the rank is inside MPI (smpi/progress). If
// the first round only copies data, the first messages leave in the rank's next call.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi::libnbc {

// Returns a function that chooses and runs libnbc's schedule, on one group or between the two groups of an
// intercommunicator; null for scans and neighbourhood collectives between groups, which MPI does not have.
Algorithm schedule_of(Operation operation, bool between_groups);
Algorithm schedule_between_groups(Operation operation);

// The place of a rank in a tree or chain, or the rank at a place: the root and rank 0 exchange their places.
inline int swapped(int rank, int root) { return rank == 0 ? root : rank == root ? 0 : rank; }

// Schedules of one round: one message for each pair of ranks with data, or for each edge of a topology.
Schedule gather(Runner& run, Arguments args);
Schedule scatter(Runner& run, Arguments args);
Schedule allgather(Runner& run, Arguments args);
Schedule allgatherv(Runner& run, Arguments args);
Schedule alltoall(Runner& run, Arguments args);
Schedule bcast_linear(Runner& run, Arguments args);

// An alltoall in the receive buffer (MPI_IN_PLACE): each rank exchanges blocks with two ranks at a time.
Schedule alltoall_in_place(Runner& run, Arguments args);

// Binomial trees, in which the root and rank 0 exchange their numbers.
Schedule bcast_binomial(Runner& run, Arguments args);
Schedule reduce_binomial(Runner& run, Arguments args);
Schedule allreduce_binomial(Runner& run, Arguments args);
Schedule reduce_scatter(Runner& run, Arguments args);

// A chain of ranks, and a ring, through which the vector passes in segments.
Schedule reduce_chain(Runner& run, Arguments args);
Schedule allreduce_ring(Runner& run, Arguments args);

}  // namespace pysmpi::libnbc
