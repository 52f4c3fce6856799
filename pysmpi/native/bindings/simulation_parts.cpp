// Creation and destruction of the parts of a simulation.
#include "bindings/simulation_parts.hpp"

#include <Python.h>

#include <utility>

#include "bindings/out_of_memory.hpp"

namespace pysmpi {

namespace {

// The object is not destroyed when the process exits, because mpi4py still calls MPI after the interpreter has ended.
SimulationParts* parts = new SimulationParts;

// Communicators that were made outside ranks, for example by a module that was imported before the ranks started. They
// are stored here while a simulation runs, because windows that were also made outside ranks refer to them.
CommunicatorsOfProcess made_outside_ranks;

}  // namespace

void SimulationParts::exchange_communicators(CommunicatorsOfProcess& others) {
  std::swap(communicators_.others, others.all);
  std::swap(communicators_.unused, others.unused);
  std::swap(communicators_.next_context, others.next_context);
}

SimulationParts::SimulationParts() : communicators_(1), unmatched_(0), messages_(0) {}

SimulationParts::SimulationParts(RankId ranks, const HostId* rank_hosts)
    : scheduler_(std::in_place, ranks, rank_hosts), communicators_(ranks), unmatched_(ranks), messages_(ranks) {}

SimulationParts::~SimulationParts() {
  if (scheduler_) scheduler_->release_greenlets();
}

// Hold the GIL: other Python threads may call MPI at any time, and must not find the parts half replaced.
void begin_simulation(RankId ranks, const HostId* rank_hosts) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  parts->exchange_communicators(made_outside_ranks);
  delete parts;
  parts = new SimulationParts(ranks, rank_hosts);
  report_lack_of_memory(true);
  PyGILState_Release(gil);
}

void end_simulation() {
  const PyGILState_STATE gil = PyGILState_Ensure();
  report_lack_of_memory(false);
  delete parts;
  parts = new SimulationParts;
  parts->exchange_communicators(made_outside_ranks);
  PyGILState_Release(gil);
}

}  // namespace pysmpi
