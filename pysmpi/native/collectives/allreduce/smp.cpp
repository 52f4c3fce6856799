// Allreduce algorithms with two levels: they reduce in each node, then among the nodes, and broadcast in each node
// (STAR-MPI). They assume that the ranks of a node are consecutive; otherwise the "nodes" consist of ranks on different
// hosts. If nodes differ in size, each rank counts as a node. If another two-level algorithm calls one of them for the
// ranks of one node or for the nodes' first ranks, it uses recursive doubling, because these ranks cannot be divided
// into nodes again.
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/allreduce/stages.hpp"
#include "collectives/nodes.hpp"

namespace pysmpi {

namespace {

struct Cluster {
  Line node, nodes;  // the ranks of the own node; the first ranks of all nodes
  explicit Cluster(const Runner& run, const NodeMap& map)
      : Cluster(run, map.uniform ? static_cast<int>(map.beside(run.rank).size()) : 1) {}
  bool leads() const { return node.index == 0; }

 private:
  Cluster(const Runner& run, int cores)
      : node(run.rank - run.rank % cores, 1, cores, run.rank % cores),
        nodes(0, cores, run.size / cores, run.rank / cores) {}
};

using Stage = Schedule (*)(Runner& run, Arguments args, Line line, char* result, char* other);

Schedule in_and_among_nodes(Runner& run, Arguments args, Stage among_nodes) {
  if (run.in_part()) {
    co_await allreduce_recursive_doubling(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const Cluster cluster(run, node_map(run.communicator()));
  auto* const result = static_cast<char*>(args.receive);
  const Scratch other(args.receive_count, args.receive_type, args.receive);
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  co_await reduce_to_first(run, args, cluster.node, result, other.data());
  if (cluster.leads()) co_await among_nodes(run, args, cluster.nodes, result, other.data());
  co_await spread_from_first(run, args, cluster.node, result);
}

Schedule up_and_down(Runner& run, Arguments args, Line line, char* result, char* other) {
  co_await reduce_to_first(run, args, line, result, other);
  co_await spread_from_first(run, args, line, result);
}

Schedule smp_doubling_instead_of(const char* name, Runner& run, Arguments args) {
  note_fallback("allreduce", name, "smp_rdb", "the operation is not commutative");
  return allreduce_smp_doubling(run, args);
}

}  // namespace

Schedule allreduce_smp_binomial(Runner& run, Arguments args) { return in_and_among_nodes(run, args, up_and_down); }

Schedule allreduce_smp_doubling(Runner& run, Arguments args) {
  return in_and_among_nodes(run, args, exchange_doubling);
}

Schedule allreduce_smp_ring(Runner& run, Arguments args) {
  if (!args.reduction.commutative) return smp_doubling_instead_of("smp_rsag", run, args);
  return in_and_among_nodes(run, args, exchange_round);
}

Schedule allreduce_smp_rabenseifner(Runner& run, Arguments args) {
  if (!args.reduction.commutative) return smp_doubling_instead_of("smp_rsag_rab", run, args);
  return in_and_among_nodes(run, args, exchange_halves);
}

// Executes smp_binomial on segments of 4,096 elements. The four stages of each segment are interleaved with those of
// the segments before it. Example: phase 2 executes stage 0 of segment 2, stage 1 of segment 1 and stage 2 of segment
// 0.
Schedule allreduce_smp_pipeline(Runner& run, Arguments args) {
  if (!args.reduction.commutative) {
    note_fallback("allreduce", "smp_binomial_pipeline", "smp_binomial", "the operation is not commutative");
    co_await allreduce_smp_binomial(run, args);
    co_return;
  }
  if (run.in_part()) {
    co_await allreduce_recursive_doubling(run, args);
    co_return;
  }
  co_await discover_nodes(run);
  const Cluster cluster(run, node_map(run.communicator()));
  constexpr std::int64_t kSegment = 4096;
  const std::int64_t total = args.receive_count, segments = (total + kSegment - 1) / kSegment;
  const Scratch other(std::min(kSegment, total), args.receive_type, args.receive);
  local_copy(args.send, total, args.receive_type, args.receive, total, args.receive_type);
  for (std::int64_t phase = 0; phase < segments + 3; ++phase) {
    for (int stage = 0; stage < 4; ++stage) {
      const std::int64_t segment = phase - stage;
      if (segment < 0 || segment >= segments) continue;
      char* const result = args.receive_at(segment * kSegment);
      args.receive_count = std::min(kSegment, total - segment * kSegment);
      if (stage == 0) co_await reduce_to_first(run, args, cluster.node, result, other.data());
      if (stage == 1 && cluster.leads()) co_await reduce_to_first(run, args, cluster.nodes, result, other.data());
      if (stage == 2 && cluster.leads()) co_await spread_from_first(run, args, cluster.nodes, result);
      if (stage == 3) co_await spread_from_first(run, args, cluster.node, result);
    }
  }
}

}  // namespace pysmpi
