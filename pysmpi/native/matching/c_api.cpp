// C interface to communicators, topologies, failures and the message protocol.
#include "matching/c_api.h"

#include <Python.h>

#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "matching/communicator.hpp"
#include "matching/failures.hpp"
#include "matching/point_to_point.hpp"

using namespace pysmpi;

int32_t pysmpi_communicator_add(int32_t size, const int32_t* world_ranks) {
  return add_communicator(std::vector<RankId>(world_ranks, world_ranks + size));
}

int32_t pysmpi_intercommunicator_add(int32_t first_size, const int32_t* first, int32_t second_size,
                                     const int32_t* second) {
  return add_intercommunicator(std::vector<RankId>(first, first + first_size),
                               std::vector<RankId>(second, second + second_size));
}

int32_t pysmpi_communicator_other_side(int32_t handle) { return find_communicator(handle)->other_side->handle; }
int32_t pysmpi_communicator_local(int32_t handle) { return find_communicator(handle)->local->handle; }
int32_t pysmpi_communicator_leaders(int32_t handle) { return find_communicator(handle)->leaders->handle; }

void pysmpi_communicator_set_title(int32_t handle, const char* title) { set_title(*find_communicator(handle), title); }

const char* pysmpi_communicator_title(int32_t handle, int32_t rank) {
  const Communicator* const found = find_communicator_of(rank, handle);
  return found ? found->title.c_str() : nullptr;
}

namespace {

// Holds the GIL while the object exists. A thread that runs no rank may ask for a communicator's name, and without the
// GIL the simulation could begin or end meanwhile.
class HeldInterpreter {
 public:
  ~HeldInterpreter() { PyGILState_Release(state_); }

 private:
  const PyGILState_STATE state_ = PyGILState_Ensure();
};

Topology& topology_of(Communicator& communicator, TopologyKind kind) {
  if (!communicator.topology) communicator.topology = std::make_shared<Topology>();
  communicator.topology->kind = kind;
  return *communicator.topology;
}

}  // namespace

void pysmpi_topology_cartesian(int32_t handle, int32_t dimensions, const int32_t* extents, const int32_t* periodic) {
  Topology& topology = topology_of(*find_communicator(handle), TopologyKind::kCartesian);
  topology.extents.assign(extents, extents + dimensions);
  topology.periodic.assign(periodic, periodic + dimensions);
}

void pysmpi_topology_graph(int32_t handle, int nodes, const int* ends, const int* edges) {
  Topology& topology = topology_of(*find_communicator(handle), TopologyKind::kGraph);
  topology.ends.assign(ends, ends + nodes);
  topology.edges.assign(edges, edges + (nodes > 0 ? ends[nodes - 1] : 0));
}

void pysmpi_topology_adjacent(int32_t handle, int32_t weighted, int32_t indegree, const int32_t* sources,
                              const int32_t* source_weights, int32_t outdegree, const int32_t* destinations,
                              const int32_t* destination_weights) {
  Communicator& communicator = *find_communicator(handle);
  Topology& topology = topology_of(communicator, TopologyKind::kDistributedGraph);
  topology.adjacencies.resize(communicator.size());
  Adjacency& mine = topology.adjacencies[communicator.my_rank()];
  mine.weighted = weighted != 0;
  mine.sources.assign(sources, sources + indegree);
  mine.destinations.assign(destinations, destinations + outdegree);
  if (!mine.weighted) return;
  mine.source_weights.assign(source_weights, source_weights + indegree);
  mine.destination_weights.assign(destination_weights, destination_weights + outdegree);
}

int32_t pysmpi_read_grid(int32_t handle, int32_t most, int32_t* extents, int32_t* periodic, int32_t* coordinates) {
  const Communicator& communicator = *find_communicator(handle);
  const Topology* topology = communicator.topology.get();
  if (!topology || topology->kind != TopologyKind::kCartesian) return -1;
  const auto dimensions = static_cast<int32_t>(topology->extents.size());
  const std::vector<std::int32_t> place = topology->coordinates(communicator.my_rank());
  for (int32_t i = 0; i < dimensions && i < most; ++i) {
    extents[i] = topology->extents[i];
    periodic[i] = topology->periodic[i];
    coordinates[i] = place[i];
  }
  return dimensions;
}

void pysmpi_topology_share(int32_t from, int32_t to) {
  find_communicator(to)->topology = find_communicator(from)->topology;
}

void pysmpi_communicator_leave(int32_t handle) { leave_communicator(handle); }

void pysmpi_communicator_remove(int32_t handle) { remove_communicator(handle); }

void pysmpi_keep_messages(void) { keep_messages(simulation().running); }

void pysmpi_fail_rank(int32_t rank) {
  if (!account_computation()) return;
  fail_rank(rank);
  if (rank == simulation().running) {
    running_fiber().pending = 1;
    block({.call = "the end of the rank", .kind = WaitKind::kOther});
  }
  leave_call();
}

double pysmpi_failure_time(int32_t rank) { return simulation().fibers[rank].failed_at; }

int32_t pysmpi_communicator_size(int32_t handle) {
  const HeldInterpreter held;
  const Communicator* communicator = find_communicator(handle);
  return communicator ? communicator->size() : -1;
}

int32_t pysmpi_communicator_rank(int32_t handle) {
  const Communicator* communicator = find_communicator(handle);
  return communicator ? communicator->my_rank() : -1;
}

int32_t pysmpi_communicator_world_rank(int32_t handle, int32_t rank) {
  const HeldInterpreter held;
  const Communicator* communicator = find_communicator(handle);
  return communicator && rank >= 0 && rank < communicator->size() ? communicator->world(rank) : -1;
}

void pysmpi_explain_protocol(int64_t bytes, int32_t nonblocking, int32_t synchronous, pysmpi_protocol* out) {
  const SendMode mode = synchronous ? SendMode::kSynchronous : SendMode::kStandard;
  const bool detached = is_detached(bytes, mode);
  *out = {is_eager(bytes, mode), detached, send_overhead(bytes, nonblocking != 0, mode),
          receive_overhead(bytes, detached)};
}
