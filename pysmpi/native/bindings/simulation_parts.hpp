// All that belongs to one simulation, which is built when it begins and destroyed when it ends.
#pragma once

#include <optional>

#include "base/types.hpp"
#include "collectives/persistent.hpp"
#include "collectives/selectors/best.hpp"
#include "datatypes/datatype.hpp"
#include "datatypes/operation.hpp"
#include "engine/call_site.hpp"
#include "engine/simulation.hpp"
#include "io/access.hpp"
#include "isolation/isolation.hpp"
#include "matching/communicator.hpp"
#include "matching/compound.hpp"
#include "matching/partitioned.hpp"
#include "matching/point_to_point.hpp"
#include "matching/probing.hpp"
#include "matching/requests.hpp"
#include "objects/attributes.hpp"
#include "objects/datatype_names.hpp"
#include "objects/error_handler.hpp"
#include "objects/errors.hpp"
#include "replay/rank.hpp"
#include "rma/window.hpp"
#include "schedule/ledger.hpp"
#include "schedule/steps.hpp"

namespace pysmpi {

// One object of this exists at any time. Between simulations it is that of a world of one process, in which modules
// call MPI while they are imported: it has all parts but the scheduler. Each part may use those before it.
class SimulationParts {
 public:
  SimulationParts();
  SimulationParts(RankId ranks, const HostId* rank_hosts);
  ~SimulationParts();

 private:
  CallSites call_sites_;
  Isolation isolation_;
  std::optional<Simulation> scheduler_;
  AddedErrors added_errors_;
  HandlersOfRanks error_handlers_;
  AttributesOfRanks attributes_;
  DatatypeNames datatype_names_;
  OperationsOfRanks operations_;
  DatatypesOfRanks datatypes_;
  Communicators communicators_;
  RequestPool requests_;
  UnmatchedRequests unmatched_;
  Messages messages_;
  Polls polls_;
  Compounds compounds_;
  PartitionedMessages partitioned_;
  Windows windows_;
  Ledgers ledgers_;
  Accesses accesses_;
  NativeRanks native_ranks_;
  Computations computations_;
  BestAlgorithms best_algorithms_;
  PersistentCollectives persistent_collectives_;
};

// Destroys the present parts, and builds those of a simulation of `ranks` ranks, or of the world of one.
void begin_simulation(RankId ranks, const HostId* rank_hosts);
void end_simulation();

}  // namespace pysmpi
