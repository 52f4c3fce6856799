// The barrier algorithms: their names, communication patterns, numbers of rounds and bytes sent.
#include "collectives/barrier/barrier.hpp"

namespace pysmpi {

namespace {

constexpr NamedAlgorithm kBarrier[] = {
    {"ompi_basic_linear", barrier_linear, "all to rank 0, which answers all", "2", "P - 1 empty messages"},
    {"ompi_two_procs", barrier_two_ranks, "two ranks exchange; recursive doubling on more ranks", "log2 P",
     "log2 P empty messages"},
    {"ompi_tree", barrier_tree, "up a binomial tree and down again", "2 log2 P", "log2 P empty messages"},
    {"ompi_bruck", barrier_bruck, "dissemination: to the rank 1, 2, 4 ... above", "log2 P", "log2 P empty messages"},
    {"ompi_recursivedoubling", barrier_recursive_doubling,
     "hypercube; ranks beyond a power of two have partners below it", "log2 P + 2", "log2 P + 1 empty messages"},
    {"ompi_doublering", barrier_double_ring, "a token goes round a ring twice", "2 P", "2 empty messages"},
    {"mpich_smp", barrier_two_level, "dissemination in each node and among nodes, then a byte down in each", "log2 P",
     "log2 P empty messages"},
    {"mvapich2_pair", barrier_recursive_doubling, "hypercube; ranks beyond a power of two have partners below it",
     "log2 P + 2", "log2 P + 1 empty messages"},
    {"openmpi_recursivedoubling", barrier_openmpi_recursive_doubling,
     "as ompi_recursivedoubling; the partners acknowledge the last message", "log2 P + 3", "log2 P + 1 empty messages"},
    {"k_dissemination-k", barrier_dissemination, "dissemination to k - 1 ranks at once", "logk P",
     "(k - 1) logk P empty messages"},
};

}  // namespace

constinit const Catalogue kBarrierCatalogue = {Operation::kBarrier, "barrier", kBarrier};

}  // namespace pysmpi
