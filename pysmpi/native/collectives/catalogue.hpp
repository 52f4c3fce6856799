// The algorithms of each operation by name, and which of them carries out a call.
#pragma once

#include <span>

#include "collectives/arguments.hpp"

namespace pysmpi {

// P ranks; n: the bytes of a rank's buffer, or of one block where there is one a rank.
struct NamedAlgorithm {
  const char* name;     // SMPI's where it has one. "ring-k" is called with a number: ring-4
  Algorithm run;        // legal for any number of ranks, root, count, datatype and operation
  const char* shape;    // who talks to whom
  const char* rounds;   // how many messages follow one another
  const char* traffic;  // bytes that the busiest rank sends
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
const Catalogue* find_catalogue(const char* option);                      // null when there is none of that name
Algorithm algorithm_named(const Catalogue& catalogue, const char* name);  // there has to be one

// The operation among the runner's ranks, by the algorithm that an option or the selector chooses. `a.root` and the
// like are numbered among those ranks.
Schedule collective(Operation operation, Runner& run, Arguments a);

// The algorithm that has been chosen for the operation, or whose choice it is (a selector's name).
const char* chosen_algorithm(Operation operation);

// An algorithm that is defined for some calls only turns to another one, as the library does that it comes from, and
// says so once. All texts are literals.
void note_fallback(const char* operation, const char* algorithm, const char* instead, const char* why);

}  // namespace pysmpi
