// Alltoall algorithms.
#pragma once

#include "collectives/catalogue.hpp"

namespace pysmpi {

// The algorithms from alltoall_linear to alltoall_two_proc can execute MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw.

// Send all messages at once, ordered by distance or by rank.
Schedule alltoall_linear(Runner& run, Arguments args);
Schedule alltoallv_linear(Runner& run, Arguments args);
Schedule alltoallv_openmpi_linear(Runner& run, Arguments args);

// Exchange messages with a limited number of partners at the same time.
Schedule alltoall_scatter_dest(Runner& run, Arguments args);
Schedule alltoallv_batches(Runner& run, Arguments args);
Schedule alltoall_mpich_scattered(Runner& run, Arguments args);
Schedule alltoall_ring_k(Runner& run, Arguments args);
Schedule alltoall_two_sided_ring_k(Runner& run, Arguments args);

// Exchange messages with one partner in each step. Pair algorithms choose the partner by XOR of rank and step, or by
// distance if the number of ranks is not a power of two; ring algorithms choose it by distance. A step may begin with a
// barrier, or end with a message of one byte to the next sender.
Schedule alltoall_pairwise(Runner& run, Arguments args);
Schedule alltoall_pair(Runner& run, Arguments args);
Schedule alltoallv_openmpi_pairwise(Runner& run, Arguments args);
Schedule alltoall_openmpi_in_place(Runner& run, Arguments args);
Schedule alltoall_in_rank_order(Runner& run, Arguments args);
Schedule alltoall_own_node_first(Runner& run, Arguments args);
Schedule alltoall_pair_light_barrier(Runner& run, Arguments args);
Schedule alltoall_pair_mpi_barrier(Runner& run, Arguments args);
Schedule alltoall_pair_one_barrier(Runner& run, Arguments args);
Schedule alltoall_pair_rma(Runner& run, Arguments args);
Schedule alltoall_ring(Runner& run, Arguments args);
Schedule alltoall_ring_light_barrier(Runner& run, Arguments args);
Schedule alltoall_ring_mpi_barrier(Runner& run, Arguments args);
Schedule alltoall_ring_one_barrier(Runner& run, Arguments args);

// Exchanges the blocks of two ranks; the communicator must have no others.
Schedule alltoall_two_proc(Runner& run, Arguments args);

// Sends several blocks in one message, after their sizes. This algorithm supports MPI_Alltoallv only.
Schedule alltoallv_two_phase_bruck(Runner& run, Arguments args);

// Send several blocks in one message. These algorithms support MPI_Alltoall only.
Schedule alltoall_bruck(Runner& run, Arguments args);
Schedule alltoall_recursive_doubling(Runner& run, Arguments args);
Schedule alltoall_2dmesh(Runner& run, Arguments args);
Schedule alltoall_3dmesh(Runner& run, Arguments args);

}  // namespace pysmpi
