// The catalogue: for each collective operation, the list of its algorithms with names and costs, and the choice of the
// algorithm that executes a call.
#pragma once

#include <span>

#include "collectives/arguments.hpp"

namespace pysmpi {

// One algorithm and its cost. P is the number of ranks; n is the size in bytes of a rank's buffer, or of one block if
// there is one block per rank.
struct NamedAlgorithm {
  const char* name;     // SMPI's name if it has one; "ring-k" takes a number, such as ring-4
  Algorithm run;        // valid for any number of ranks, root, count, datatype and operation
  const char* shape;    // which ranks communicate
  const char* rounds;   // number of consecutive messages on the longest path
  const char* traffic;  // bytes sent by the busiest rank
};

struct Catalogue {
  Operation operation;
  const char* option;  // --cfg=smpi/OPTION:NAME
  std::span<const NamedAlgorithm> algorithms;
};

extern const Catalogue kBarrierCatalogue, kBcastCatalogue, kReduceCatalogue, kAllreduceCatalogue,
    kReduceScatterCatalogue, kGatherCatalogue, kGathervCatalogue, kScatterCatalogue, kScattervCatalogue,
    kAllgatherCatalogue, kAllgathervCatalogue, kAlltoallCatalogue, kAlltoallvCatalogue, kAlltoallwCatalogue,
    kScanCatalogue, kExscanCatalogue, kNeighborAllgatherCatalogue, kNeighborAllgathervCatalogue,
    kNeighborAlltoallCatalogue, kNeighborAlltoallvCatalogue, kNeighborAlltoallwCatalogue;

const Catalogue* catalogue_of(Operation operation);
const Catalogue* find_catalogue(const char* option);                      // null if the option is unknown
Algorithm algorithm_named(const Catalogue& catalogue, const char* name);  // aborts if the name is unknown

// Returns the schedule of the operation among the ranks that the runner sees (the communicator, or a part of it), by
// the algorithm that an option or the selector has chosen. `args.root` is the root's number among these ranks.
Schedule collective(Operation operation, Runner& run, Arguments args);

// Returns the algorithm that the chosen selector has for nonblocking and persistent calls of the operation, on one
// group or between the groups of an intercommunicator; null if these calls use the algorithms of blocking ones.
Algorithm nonblocking_algorithm(Operation operation, bool between_groups);

// Returns the name of the algorithm chosen for the operation, or of the selector that chooses it.
const char* chosen_algorithm(Operation operation);

// Records that an algorithm does not support a call and that another algorithm executes it, as in the MPI library that
// the algorithm comes from. Each combination is recorded once. All texts must be string literals.
void note_fallback(const char* operation, const char* algorithm, const char* instead, const char* why);

}  // namespace pysmpi
