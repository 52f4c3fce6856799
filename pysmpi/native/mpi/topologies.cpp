// Queries of virtual topologies (MPI 4.1, sections 8.5.5 and 8.5.6). They send nothing and take no simulated time.
// pysmpi/simulation/mpi/virtual_topologies.py creates topologies.
#include <algorithm>

#include "communicators.hpp"
#include "objects/errors.hpp"

using namespace pysmpi;

namespace {

const char* name_of(TopologyKind kind) {
  switch (kind) {
    case TopologyKind::kGraph:
      return "a graph topology";
    case TopologyKind::kCartesian:
      return "a Cartesian topology";
    default:
      return "a distributed graph topology";
  }
}

// A query of a communicator whose topology must be of the given kind.
struct Query {
  const char* function;
  MPI_Comm comm;
  const Communicator* communicator = nullptr;
  const Topology* topology = nullptr;
  int error = MPI_SUCCESS;

  Query(const char* function, MPI_Comm comm, TopologyKind kind)
      : function(function), comm(comm), communicator(find_own_communicator(comm)) {
    if (communicator == nullptr) {
      error = invalid_communicator(function, comm);
    } else if (!communicator->topology || communicator->topology->kind != kind) {
      error = fail(comm, MPI_ERR_TOPOLOGY, function, "the communicator has %s, not %s",
                   communicator->topology ? name_of(communicator->topology->kind) : "no topology", name_of(kind));
    } else {
      topology = communicator->topology.get();
    }
  }

  int check_rank(int rank) const {
    if (rank >= 0 && rank < communicator->size()) return MPI_SUCCESS;
    return fail(comm, MPI_ERR_RANK, function, "invalid rank %d; valid: 0 to %d", rank, communicator->size() - 1);
  }

  int check_room(int room, std::size_t needed, const char* name) const {
    if (room >= 0 && static_cast<std::size_t>(room) >= needed) return MPI_SUCCESS;
    return fail(comm, MPI_ERR_ARG, function, "%s is %d, but %zu entries are needed", name, room, needed);
  }
};

using Ranks = std::vector<std::int32_t>;

// Copies as many values as there is room for, or none if the caller has passed MPI_UNWEIGHTED or null instead of an
// array.
void copy_some(const Ranks& values, int room, int* out) {
  if (out == nullptr || out == MPI_UNWEIGHTED || out == MPI_WEIGHTS_EMPTY) return;
  std::copy_n(values.begin(), std::min<std::size_t>(room, values.size()), out);
}

}  // namespace

extern "C" {

int MPI_Topo_test(MPI_Comm comm, int* topology) {
  const Communicator* communicator = find_own_communicator(comm);
  if (communicator == nullptr) return invalid_communicator("MPI_Topo_test", comm);
  *topology = communicator->topology ? static_cast<int>(communicator->topology->kind) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Cartdim_get(MPI_Comm comm, int* dimensions) {
  const Query query("MPI_Cartdim_get", comm, TopologyKind::kCartesian);
  if (query.error) return query.error;
  *dimensions = static_cast<int>(query.topology->extents.size());
  return MPI_SUCCESS;
}

int MPI_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) {
  const Query query("MPI_Cart_get", comm, TopologyKind::kCartesian);
  if (query.error) return query.error;
  const Topology& topology = *query.topology;
  if (const int error = query.check_room(maxdims, topology.extents.size(), "maxdims")) return error;
  const Ranks place = topology.coordinates(query.communicator->my_rank());
  for (std::size_t i = 0; i < place.size(); ++i) {
    dims[i] = topology.extents[i];
    periods[i] = topology.periodic[i];
    coords[i] = place[i];
  }
  return MPI_SUCCESS;
}

int MPI_Cart_rank(MPI_Comm comm, const int coords[], int* rank) {
  const Query query("MPI_Cart_rank", comm, TopologyKind::kCartesian);
  if (query.error) return query.error;
  const Ranks& extents = query.topology->extents;
  *rank = query.topology->rank_at(Ranks(coords, coords + extents.size()));
  if (*rank != MPI_PROC_NULL) return MPI_SUCCESS;
  for (std::size_t i = 0;; ++i) {
    if (query.topology->periodic[i] || (coords[i] >= 0 && coords[i] < extents[i])) continue;
    return fail(comm, MPI_ERR_ARG, query.function, "invalid coordinate %d in dimension %zu; valid: 0 to %d", coords[i],
                i, extents[i] - 1);
  }
}

int MPI_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) {
  const Query query("MPI_Cart_coords", comm, TopologyKind::kCartesian);
  if (query.error) return query.error;
  if (const int error = query.check_rank(rank)) return error;
  if (const int error = query.check_room(maxdims, query.topology->extents.size(), "maxdims")) return error;
  copy_some(query.topology->coordinates(rank), maxdims, coords);
  return MPI_SUCCESS;
}

int MPI_Cart_shift(MPI_Comm comm, int direction, int disp, int* source, int* destination) {
  const Query query("MPI_Cart_shift", comm, TopologyKind::kCartesian);
  if (query.error) return query.error;
  const auto dimensions = static_cast<int>(query.topology->extents.size());
  if (direction < 0 || direction >= dimensions) {
    return fail(comm, MPI_ERR_ARG, query.function, "invalid direction %d; valid: 0 to %d", direction, dimensions - 1);
  }
  const int mine = query.communicator->my_rank();
  *source = query.topology->shifted(mine, direction, -static_cast<std::int64_t>(disp));
  *destination = query.topology->shifted(mine, direction, disp);
  return MPI_SUCCESS;
}

int MPI_Graphdims_get(MPI_Comm comm, int* nodes, int* edges) {
  const Query query("MPI_Graphdims_get", comm, TopologyKind::kGraph);
  if (query.error) return query.error;
  *nodes = static_cast<int>(query.topology->ends.size());
  *edges = static_cast<int>(query.topology->edges.size());
  return MPI_SUCCESS;
}

int MPI_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) {
  const Query query("MPI_Graph_get", comm, TopologyKind::kGraph);
  if (query.error) return query.error;
  if (const int error = query.check_room(maxindex, query.topology->ends.size(), "maxindex")) return error;
  if (const int error = query.check_room(maxedges, query.topology->edges.size(), "maxedges")) return error;
  copy_some(query.topology->ends, maxindex, index);
  copy_some(query.topology->edges, maxedges, edges);
  return MPI_SUCCESS;
}

int MPI_Graph_neighbors_count(MPI_Comm comm, int rank, int* count) {
  const Query query("MPI_Graph_neighbors_count", comm, TopologyKind::kGraph);
  if (query.error) return query.error;
  if (const int error = query.check_rank(rank)) return error;
  *count = query.topology->ends[rank] - (rank > 0 ? query.topology->ends[rank - 1] : 0);
  return MPI_SUCCESS;
}

int MPI_Graph_neighbors(MPI_Comm comm, int rank, int room, int neighbors[]) {
  const Query query("MPI_Graph_neighbors", comm, TopologyKind::kGraph);
  if (query.error) return query.error;
  if (const int error = query.check_rank(rank)) return error;
  Ranks found, same;
  query.topology->neighbours(rank, found, same);
  if (const int error = query.check_room(room, found.size(), "maxneighbors")) return error;
  copy_some(found, room, neighbors);
  return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) {
  const Query query("MPI_Dist_graph_neighbors_count", comm, TopologyKind::kDistributedGraph);
  if (query.error) return query.error;
  const Adjacency& mine = query.topology->adjacencies[query.communicator->my_rank()];
  *indegree = static_cast<int>(mine.sources.size());
  *outdegree = static_cast<int>(mine.destinations.size());
  *weighted = mine.weighted;
  return MPI_SUCCESS;
}

int MPI_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                             int destinations[], int destweights[]) {
  const Query query("MPI_Dist_graph_neighbors", comm, TopologyKind::kDistributedGraph);
  if (query.error) return query.error;
  if (maxindegree < 0 || maxoutdegree < 0) {
    return fail(comm, MPI_ERR_ARG, query.function, "negative number of neighbours: maxindegree %d, maxoutdegree %d",
                maxindegree, maxoutdegree);
  }
  const Adjacency& mine = query.topology->adjacencies[query.communicator->my_rank()];
  copy_some(mine.sources, maxindegree, sources);
  copy_some(mine.source_weights, maxindegree, sourceweights);
  copy_some(mine.destinations, maxoutdegree, destinations);
  copy_some(mine.destination_weights, maxoutdegree, destweights);
  return MPI_SUCCESS;
}

}  // extern "C"
