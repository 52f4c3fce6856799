#include "bindings/simulation_parts.hpp"

#include <utility>

namespace pysmpi {

namespace {

// Never destroyed at the process's exit: mpi4py calls MPI when the interpreter has already ended.
SimulationParts* parts = new SimulationParts;

}  // namespace

SimulationParts::SimulationParts() : communicators_(1), unmatched_(0), messages_(0) {}

SimulationParts::SimulationParts(RankId ranks, const HostId* rank_hosts)
    : scheduler_(std::in_place, ranks, rank_hosts), communicators_(ranks), unmatched_(ranks), messages_(ranks) {}

SimulationParts::~SimulationParts() {
  if (scheduler_) scheduler_->release_greenlets();
}

void begin_simulation(RankId ranks, const HostId* rank_hosts) {
  delete parts;
  parts = new SimulationParts(ranks, rank_hosts);
}

void end_simulation() {
  delete parts;
  parts = new SimulationParts;
}

}  // namespace pysmpi
