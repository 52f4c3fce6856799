// The allgather algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/allgather/allgather.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kAllgather[] = {
    {"ring", allgather_by_distance, "to the rank i above, from the one i below", "P - 1", "n (P - 1)"},
    {"pair", allgather_pairwise, "partners by exclusive or", "P - 1", "n (P - 1)"},
    {"rdb", allgather_recursive_doubling, "recursive doubling", "log2 P", "n (P - 1)"},
    {"bruck", allgather_bruck, "Bruck: twice as many blocks a step, put in place at the end", "log2 P", "n (P - 1)"},
    {"ompi_neighborexchange", allgather_neighbour_exchange, "neighbours exchange two blocks a step", "P / 2",
     "n (P - 1)"},
    {"linear", allgather_linear, "all to all at once", "1", "n (P - 1)"},
    {"spreading_simple", allgather_spreading, "all to all at once, each to those above it first", "1", "n (P - 1)"},
    {"NTSLR", allgather_ring, "blocks go round a ring", "P - 1", "n (P - 1)"},
    {"NTSLR_NB", allgather_ring_posted, "blocks go round a ring, all receives posted first", "P - 1", "n (P - 1)"},
    {"rhv", allgather_recursive_halving, "recursive doubling, the farthest partner first", "1 + log2 P", "n P"},
    {"2dmesh", allgather_mesh, "all to all in rows, then in columns", "2", "n (P - 1)"},
    {"3dmesh", allgather_cube, "all to all in rows, in columns, then in lines", "3", "n (P - 1)"},
    {"GB", allgather_gather_bcast, "gather at rank 0, then bcast", "sum of both", "sum of both"},
    {"smp_simple", allgather_groups_linear, "all to all in nodes and among leaders, which pass on the whole",
     "2 times a node's ranks", "n P times a node's ranks"},
    {"SMP_NTS", allgather_groups_ring, "all to all in nodes, ring of leaders, chains in nodes",
     "2 times a node's ranks + nodes", "2 n P"},
    {"loosely_lr", allgather_groups_rings, "rings through all nodes, each rank passes on its ring's blocks", "nodes",
     "n P"},
    {"mvapich2_smp", allgather_two_level, "gather in nodes, allgather of leaders, bcast in nodes", "sum of all three",
     "sum of all three"},
};

}  // namespace

constinit const Catalogue kAllgatherCatalogue = {Operation::kAllgather, "allgather", kAllgather};

}  // namespace pysmpi
