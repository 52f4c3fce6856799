// The alltoall, alltoallv and alltoallw algorithms: their names, communication patterns, numbers of rounds and bytes
// sent.
#include "collectives/alltoall/alltoall.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kAlltoall[] = {
    {"basic_linear", alltoall_linear, "all to all at once", "1", "n (P - 1)"},
    {"burst", alltoall_linear, "all to all at once", "1", "n (P - 1)"},
    {"pair", alltoall_pair, "one partner a step, by exclusive or", "P - 1", "n (P - 1)"},
    {"pair_light_barrier", alltoall_pair_light_barrier, "as pair; a byte to the next partner between steps",
     "2 (P - 1)", "n (P - 1)"},
    {"pair_mpi_barrier", alltoall_pair_mpi_barrier, "as pair; a barrier before each step", "P - 1 and P barriers",
     "n (P - 1)"},
    {"pair_one_barrier", alltoall_pair_one_barrier, "as pair; a barrier before", "P - 1 and a barrier", "n (P - 1)"},
    {"pair_rma", alltoall_pair_rma, "puts into a window, partners in the order of pair",
     "1, an allgather and 6 barriers", "n (P - 1)"},
    {"ring", alltoall_ring, "one rank a step, by distance", "P - 1", "n (P - 1)"},
    {"ring_light_barrier", alltoall_ring_light_barrier, "as ring; a byte to the next sender between steps", "2 (P - 1)",
     "n (P - 1)"},
    {"ring_mpi_barrier", alltoall_ring_mpi_barrier, "as ring; a barrier before each step", "P - 1 and P barriers",
     "n (P - 1)"},
    {"ring_one_barrier", alltoall_ring_one_barrier, "as ring; a barrier before", "P - 1 and a barrier", "n (P - 1)"},
    {"ring-k", alltoall_ring_k, "to the next k ranks of the ring a stage, from the k before", "(P - 1) / k",
     "n (P - 1)"},
    {"two-sided-ring-k", alltoall_two_sided_ring_k, "the next k ranks on either side of the ring a stage",
     "(P - 1) / 2k", "n (P - 1)"},
    {"mvapich2_scatter_dest", alltoall_scatter_dest, "four ranks at a time, by distance", "P / 4", "n P"},
    {"mpich_scattered", alltoall_mpich_scattered, "32 ranks at a time, by distance", "P / 32", "n P"},
    {"mpich_pairwise", alltoall_pairwise, "one partner a step, by exclusive or; no power of two: by distance", "P - 1",
     "n (P - 1)"},
    {"ompi_two_proc", alltoall_two_proc, "two ranks exchange", "1", "n"},
    {"ompi_linear_sync", alltoall_linear, "all to all at once: Open MPI sets no bound by itself", "1", "n (P - 1)"},
    {"bruck", alltoall_bruck, "each block goes the powers of two that sum up to its distance", "log2 P",
     "n P / 2 log2 P"},
    {"rdb", alltoall_recursive_doubling, "all blocks to all ranks, by recursive doubling", "log2 P", "n P (P - 1)"},
    {"2dmesh", alltoall_2dmesh, "all blocks of a row of a mesh to its ranks, then by columns", "2 sqrt P",
     "n P sqrt P"},
    {"3dmesh", alltoall_3dmesh, "all blocks of a plane of a mesh to its ranks, then between planes", "3 cbrt P",
     "n P cbrt P^2"},
    {"openmpi_in_place", alltoall_openmpi_in_place, "the ranks i above and below in step i", "P - 1", "n (P - 1)"},
};
constexpr NamedAlgorithm kAlltoallv[] = {
    {"ompi_basic_linear", alltoallv_linear, "all to all at once", "1", "n (P - 1)"},
    {"burst", alltoall_linear, "all to all at once, by distance", "1", "n (P - 1)"},
    {"bruck", alltoallv_batches, "four ranks at a time, by distance, as in SMPI; Bruck's is two-phase-bruck", "P / 4",
     "n (P - 1)"},
    {"two-phase-bruck", alltoallv_two_phase_bruck,
     "each block goes the powers of two that sum up to its distance; sizes travel before blocks", "2 log2 P",
     "n P / 2 log2 P"},
    {"pair", alltoall_pair, "one partner a step, by exclusive or", "P - 1", "n (P - 1)"},
    {"pair_light_barrier", alltoall_pair_light_barrier, "as pair; a byte to the next partner between steps",
     "2 (P - 1)", "n (P - 1)"},
    {"pair_mpi_barrier", alltoall_pair_mpi_barrier, "as pair; a barrier before each step", "P - 1 and P barriers",
     "n (P - 1)"},
    {"pair_one_barrier", alltoall_pair_one_barrier, "as pair; a barrier before", "P - 1 and a barrier", "n (P - 1)"},
    {"ring", alltoall_pairwise, "one partner a step, by exclusive or; no power of two: by distance", "P - 1",
     "n (P - 1)"},
    {"ring_light_barrier", alltoall_ring_light_barrier, "by distance; a byte to the next sender between steps",
     "2 (P - 1)", "n (P - 1)"},
    {"ring_mpi_barrier", alltoall_ring_mpi_barrier, "by distance; a barrier before each step", "P - 1 and P barriers",
     "n (P - 1)"},
    {"ring_one_barrier", alltoall_ring_one_barrier, "by distance; a barrier before", "P - 1 and a barrier",
     "n (P - 1)"},
    {"ring-k", alltoall_ring_k, "to the next k ranks of the ring a stage, from the k before", "(P - 1) / k",
     "n (P - 1)"},
    {"two-sided-ring-k", alltoall_two_sided_ring_k, "the next k ranks on either side of the ring a stage",
     "(P - 1) / 2k", "n (P - 1)"},
    {"ompi_pairwise", alltoall_ring, "one rank a step, by distance", "P - 1", "n (P - 1)"},
    {"openmpi_basic_linear", alltoallv_openmpi_linear, "all to all at once; nothing where there is no data", "1",
     "n (P - 1)"},
    {"openmpi_pairwise", alltoallv_openmpi_pairwise, "one rank a step, itself first; nothing where there is no data",
     "P", "n P"},
    {"mpich_scattered", alltoall_mpich_scattered, "32 ranks at a time, by distance; nothing where there is no data",
     "P / 32", "n P"},
    {"openmpi_in_place", alltoall_openmpi_in_place, "the ranks i above and below in step i", "P - 1", "n (P - 1)"},
};
constexpr NamedAlgorithm kAlltoallw[] = {
    {"linear", alltoallv_linear, "all to all at once", "1", "n (P - 1)"},
    {"pairwise", alltoall_ring, "one rank a step, by distance", "P - 1", "n (P - 1)"},
    {"openmpi_basic_linear", alltoallv_openmpi_linear, "all to all at once; nothing where there is no data", "1",
     "n (P - 1)"},
    {"mpich_scattered", alltoall_mpich_scattered, "32 ranks at a time, by distance; nothing where there is no data",
     "P / 32", "n P"},
    {"openmpi_in_place", alltoall_openmpi_in_place, "the ranks i above and below in step i", "P - 1", "n (P - 1)"},
};

}  // namespace

constinit const Catalogue kAlltoallCatalogue = {Operation::kAlltoall, "alltoall", kAlltoall};
constinit const Catalogue kAlltoallvCatalogue = {Operation::kAlltoallv, "alltoallv", kAlltoallv};
constinit const Catalogue kAlltoallwCatalogue = {Operation::kAlltoallw, "alltoallw", kAlltoallw};

}  // namespace pysmpi
