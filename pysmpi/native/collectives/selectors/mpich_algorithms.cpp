// The algorithms among which MPICH 4 and 5 choose. Algorithms of the device level (src/mpid/ch4/src/ch4_coll_impl.h)
// have up to three parts: inside each node, among the leaders of the nodes, and inside each node again. Each part uses
// the algorithm that MPICH chooses for a communicator whose nodes are not considered (flat level). MPICH communicates
// through shared memory inside a node; here these are messages between ranks of one host.
//
// Nonblocking and persistent collectives have schedules of their own (src/mpi/coll/i*/*_sched_*.c), whose names contain
// "sched". Entries between two barriers of such a schedule are a round here.
#include "collectives/allgather/allgather.hpp"
#include "collectives/allgatherv/allgatherv.hpp"
#include "collectives/allreduce/allreduce.hpp"
#include "collectives/alltoall/alltoall.hpp"
#include "collectives/barrier/barrier.hpp"
#include "collectives/bcast/bcast.hpp"
#include "collectives/gather/gather.hpp"
#include "collectives/neighbourhood/neighbourhood.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/reduce_scatter/reduce_scatter.hpp"
#include "collectives/scan/scan.hpp"
#include "collectives/scatter/scatter.hpp"
#include "collectives/selectors/decision_tree.hpp"
#include "collectives/selectors/selectors.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

namespace {

// The rank's position among the nodes. The leader of a node is its first rank.
struct Place {
  const NodeMap& map;
  const std::int32_t rank, node, root_node;
  Place(const Runner& run, std::int32_t root)
      : map(node_map_in_rank_order(run.communicator())),
        rank(run.rank),
        node(map.node_of[rank]),
        root_node(map.node_of[root]) {}
  bool leads() const { return map.leads(rank); }
  bool at_roots_node() const { return node == root_node; }
  std::int32_t leader_of_root() const { return map.leaders[root_node]; }
  std::span<const std::int32_t> beside() const { return map.on_node(node); }
  bool alone() const { return beside().size() == 1; }
};

// `level`: the trees by which the algorithm of a part is chosen.
template <Level level = Level::kFlat>
Schedule in_node(Operation operation, Runner& run, const Place& place, Arguments args) {
  if (place.alone()) co_return;
  const Runner::Part part(run, place.beside());
  co_await decide(level, operation, run, args);
}

template <Level level = Level::kFlat>
Schedule among_leaders(Operation operation, Runner& run, const Place& place, Arguments args) {
  if (!place.leads()) co_return;
  const Runner::Part part(run, place.map.leaders);
  co_await decide(level, operation, run, args);
}

Arguments rooted(Arguments args, std::int32_t root) {
  args.root = root;
  return args;
}

Arguments reducing(Arguments args, const void* send, void* receive, std::int32_t root) {
  args.send = send;
  args.receive = receive;
  args.root = root;
  return args;
}

Schedule barrier_alpha(Runner& run, Arguments args) {
  const Place place(run, 0);
  char token = 0;
  Arguments release = args;
  release.receive = &token;
  release.receive_count = 1;
  release.receive_type = kByte;
  release.root = 0;
  co_await in_node(Operation::kBarrier, run, place, args);
  co_await among_leaders(Operation::kBarrier, run, place, args);
  co_await in_node(Operation::kBcast, run, place, release);
}

// The root sends the data to its node's leader, then the leaders broadcast, then each node.
template <Level level = Level::kFlat>
Schedule bcast_alpha(Runner& run, Arguments args) {
  const Place place(run, args.root);
  const std::int32_t leader = place.leader_of_root();
  if (leader != args.root) {
    if (run.rank == args.root) co_await run.send_now(leader, args.receive, args.receive_count, args.receive_type);
    if (run.rank == leader) co_await run.receive_now(args.root, args.receive, args.receive_count, args.receive_type);
  }
  co_await among_leaders<level>(Operation::kBcast, run, place, rooted(args, place.root_node));
  co_await in_node<level>(Operation::kBcast, run, place, rooted(args, 0));
}

// The root's node broadcasts first, then the leaders, then the other nodes.
Schedule bcast_beta(Runner& run, Arguments args) {
  const Place place(run, args.root);
  const std::int32_t within = place.map.place_in_node(args.root);
  const bool first = place.at_roots_node() && within > 0;
  if (first) co_await in_node(Operation::kBcast, run, place, rooted(args, within));
  co_await among_leaders(Operation::kBcast, run, place, rooted(args, place.root_node));
  if (!first) co_await in_node(Operation::kBcast, run, place, rooted(args, 0));
}

// Each node reduces to its leader, the leaders reduce to rank 0, and rank 0 sends the result to the root.
Schedule reduce_alpha(Runner& run, Arguments args) {
  const Place place(run, args.root);
  const bool keeps = place.leads() && run.rank != args.root;
  const Scratch room(keeps ? args.receive_count : 0, args.receive_type, args.send);
  const Scratch other(place.leads() ? args.receive_count : 0, args.receive_type, args.send);
  char* const sum = keeps ? room.data() : static_cast<char*>(args.receive);
  const void* contribution = args.send;
  if (!place.alone()) {
    co_await in_node(Operation::kReduce, run, place, reducing(args, args.send, other.data(), 0));
    contribution = other.data();
  }
  co_await among_leaders(Operation::kReduce, run, place, reducing(args, contribution, sum, 0));
  if (args.root == 0) co_return;
  if (run.rank == 0) co_await run.send_now(args.root, sum, args.receive_count, args.receive_type);
  if (run.rank == args.root) co_await run.receive_now(0, args.receive, args.receive_count, args.receive_type);
}

// All nodes except the root's reduce to their leaders, the leaders reduce to the leader of the root's node, and that
// node reduces to the root.
template <Level level = Level::kFlat>
Schedule reduce_beta(Runner& run, Arguments args) {
  const Place place(run, args.root);
  const bool at_roots_node = place.at_roots_node();
  const Scratch of_node(place.leads() ? args.receive_count : 0, args.receive_type, args.send);
  const Scratch of_all(place.leads() ? args.receive_count : 0, args.receive_type, args.send);
  const void* contribution = args.send;
  if (!at_roots_node && !place.alone()) {
    co_await in_node<level>(Operation::kReduce, run, place, reducing(args, args.send, of_node.data(), 0));
    contribution = of_node.data();
  }
  const bool ends_here = at_roots_node && place.alone();
  char* const sum = ends_here ? static_cast<char*>(args.receive) : of_all.data();
  co_await among_leaders<level>(Operation::kReduce, run, place, reducing(args, contribution, sum, place.root_node));
  if (!at_roots_node || ends_here) co_return;
  const void* const last = place.leads() ? of_all.data() : args.send;
  co_await in_node<level>(Operation::kReduce, run, place,
                          reducing(args, last, args.receive, place.map.place_in_node(args.root)));
}

Schedule allreduce_alpha(Runner& run, Arguments args) {
  const Place place(run, 0);
  const Scratch of_node(place.leads() ? args.receive_count : 0, args.receive_type, args.receive);
  const void* contribution = args.send;
  if (!place.alone()) {
    co_await in_node(Operation::kReduce, run, place, reducing(args, args.send, of_node.data(), 0));
    contribution = of_node.data();
  }
  co_await among_leaders(Operation::kAllreduce, run, place, reducing(args, contribution, args.receive, 0));
  co_await in_node(Operation::kBcast, run, place, rooted(args, 0));
}

// Each node scans, and its last rank sends the sum to the leader. The leaders scan these sums, and each sends its
// result to the next one, whose node adds it to its own results. Ranks must be numbered node by node.
template <Level level>
Schedule scan_smp(Runner& run, Arguments args) {
  const Place place(run, 0);
  const std::span<const std::int32_t> beside = place.beside();
  const std::int64_t count = args.receive_count;
  const std::int32_t type = args.receive_type, last = beside.back();
  const Scratch of_node(place.leads() ? count : 0, type, args.send),
      up_to_node(place.leads() ? count : 0, type, args.send);
  const Scratch before(count, type, args.send);
  if (place.alone()) {
    local_copy(args.send, count, type, args.receive, count, type);
    local_copy(args.send, count, type, of_node.data(), count, type);
  } else {
    co_await in_node<level>(Operation::kScan, run, place, args);
    if (place.leads()) co_await run.receive_now(last, of_node.data(), count, type);
    if (run.rank == last) co_await run.send_now(beside.front(), args.receive, count, type);
  }
  if (place.leads()) {
    const std::vector<std::int32_t>& leaders = place.map.leaders;
    co_await among_leaders<level>(Operation::kScan, run, place, reducing(args, of_node.data(), up_to_node.data(), 0));
    if (place.node + 1 < place.map.nodes()) {
      co_await run.send_now(leaders[place.node + 1], up_to_node.data(), count, type);
    }
    if (place.node > 0) co_await run.receive_now(leaders[place.node - 1], before.data(), count, type);
  }
  if (place.node == 0) co_return;
  Arguments from_leader = args;
  from_leader.receive = before.data();
  co_await in_node<level>(Operation::kBcast, run, place, rooted(from_leader, 0));
  co_await run.reduce(args.reduction, type, before.data(), args.receive, count);
}

// MPICH 5 asks whether there are several nodes, MPICH 4 does not.
template <Level level>
Schedule scan_by_nodes(Runner& run, Arguments args) {
  const bool is_consecutive = node_map_in_rank_order(run.communicator()).consecutive;
  return is_consecutive && !run.in_part() ? scan_smp<level>(run, args) : scan_recursive_doubling(run, args);
}
template <Level level>
Schedule scan_by_nodes_if_several(Runner& run, Arguments args) {
  const bool on_several = node_map_in_rank_order(run.communicator()).nodes() > 1;
  return on_several ? scan_by_nodes<level>(run, args) : scan_recursive_doubling(run, args);
}

template <Operation operation>
Schedule flat(Runner& run, Arguments args) {
  return decide(Level::kFlat, operation, run, args);
}

constexpr Level kNonblocking = Level::kNonblocking;

constexpr MpichAlgorithm kAlgorithms[] = {
    {Level::kDevice, Operation::kBarrier, "Barrier_intra_composition_alpha", barrier_alpha},
    {Level::kDevice, Operation::kBarrier, "Barrier_intra_composition_beta", flat<Operation::kBarrier>},
    {Level::kDevice, Operation::kBcast, "Bcast_intra_composition_alpha", bcast_alpha},
    {Level::kDevice, Operation::kBcast, "Bcast_intra_composition_beta", bcast_beta},
    {Level::kDevice, Operation::kBcast, "Bcast_intra_composition_gamma", flat<Operation::kBcast>},
    {Level::kDevice, Operation::kReduce, "Reduce_intra_composition_alpha", reduce_alpha},
    {Level::kDevice, Operation::kReduce, "Reduce_intra_composition_beta", reduce_beta},
    {Level::kDevice, Operation::kReduce, "Reduce_intra_composition_gamma", flat<Operation::kReduce>},
    {Level::kDevice, Operation::kAllreduce, "Allreduce_intra_composition_alpha", allreduce_alpha},
    {Level::kDevice, Operation::kAllreduce, "Allreduce_intra_composition_beta", flat<Operation::kAllreduce>},
    {Level::kDevice, Operation::kAllreduce, "Allreduce_intra_composition_gamma", flat<Operation::kAllreduce>},
    {Level::kFlat, Operation::kBarrier, "Barrier_intra_k_dissemination", barrier_bruck},
    {Level::kFlat, Operation::kBarrier, "Barrier_intra_smp", barrier_alpha},
    {Level::kFlat, Operation::kBcast, "Bcast_intra_binomial", bcast_binomial},
    {Level::kFlat, Operation::kBcast, "Bcast_intra_scatter_recursive_doubling_allgather",
     bcast_scatter_doubling_allgather},
    {Level::kFlat, Operation::kBcast, "Bcast_intra_scatter_ring_allgather", bcast_scatter_ring_allgather},
    {Level::kFlat, Operation::kBcast, "Bcast_intra_pipelined_tree", bcast_pipeline},
    {Level::kFlat, Operation::kBcast, "Bcast_intra_tree", bcast_knomial},
    {Level::kFlat, Operation::kBcast, "Bcast_intra_smp", bcast_alpha},
    {Level::kFlat, Operation::kReduce, "Reduce_intra_binomial", reduce_binomial},
    {Level::kFlat, Operation::kReduce, "Reduce_intra_reduce_scatter_gather", reduce_mpich_scatter_gather},
    {Level::kFlat, Operation::kReduce, "Reduce_intra_smp", reduce_beta},
    {Level::kFlat, Operation::kAllreduce, "Allreduce_intra_recursive_doubling", allreduce_recursive_doubling},
    {Level::kFlat, Operation::kAllreduce, "Allreduce_intra_reduce_scatter_allgather", allreduce_mpich_rabenseifner},
    {Level::kFlat, Operation::kAllreduce, "Allreduce_intra_ring", allreduce_ring},
    {Level::kFlat, Operation::kAllreduce, "Allreduce_intra_smp", allreduce_alpha},
    {Level::kFlat, Operation::kScan, "Scan_intra_recursive_doubling", scan_recursive_doubling},
    {Level::kFlat, Operation::kScan, "Scan_intra_smp", scan_by_nodes<Level::kFlat>,
     scan_by_nodes_if_several<Level::kFlat>},
    {Level::kFlat, Operation::kExscan, "Exscan_intra_recursive_doubling", exscan_recursive_doubling},
    {Level::kFlat, Operation::kReduceScatter, "Reduce_scatter_intra_recursive_halving", reduce_scatter_mpich_halving},
    {Level::kFlat, Operation::kReduceScatter, "Reduce_scatter_intra_pairwise", reduce_scatter_pairwise},
    {Level::kFlat, Operation::kReduceScatter, "Reduce_scatter_intra_recursive_doubling",
     reduce_scatter_recursive_doubling},
    {Level::kFlat, Operation::kReduceScatter, "Reduce_scatter_intra_noncommutative", reduce_scatter_halving_in_order},
    {Level::kFlat, Operation::kGather, "Gather_intra_binomial", gather_binomial},
    {Level::kFlat, Operation::kGatherv, "Gatherv_allcomm_linear", gatherv_mpich_linear},
    {Level::kFlat, Operation::kScatter, "Scatter_intra_binomial", scatter_mpich_binomial},
    {Level::kFlat, Operation::kScatterv, "Scatterv_allcomm_linear", scatterv_mpich_linear},
    {Level::kFlat, Operation::kAllgather, "Allgather_intra_recursive_doubling", allgather_recursive_doubling},
    {Level::kFlat, Operation::kAllgather, "Allgather_intra_brucks", allgather_bruck},
    {Level::kFlat, Operation::kAllgather, "Allgather_intra_ring", allgather_ring},
    {Level::kFlat, Operation::kAllgatherv, "Allgatherv_intra_recursive_doubling", allgatherv_recursive_doubling},
    {Level::kFlat, Operation::kAllgatherv, "Allgatherv_intra_brucks", allgatherv_bruck},
    {Level::kFlat, Operation::kAllgatherv, "Allgatherv_intra_ring", allgatherv_mpich_ring},
    {Level::kFlat, Operation::kAlltoall, "Alltoall_intra_brucks", alltoall_bruck},
    {Level::kFlat, Operation::kAlltoall, "Alltoall_intra_scattered", alltoall_mpich_scattered},
    {Level::kFlat, Operation::kAlltoall, "Alltoall_intra_pairwise", alltoall_pairwise},
    {Level::kFlat, Operation::kAlltoall, "Alltoall_intra_pairwise_sendrecv_replace", alltoall_in_rank_order,
     alltoall_own_node_first},
    {Level::kFlat, Operation::kAlltoallv, "Alltoallv_intra_scattered", alltoall_mpich_scattered},
    {Level::kFlat, Operation::kAlltoallv, "Alltoallv_intra_pairwise_sendrecv_replace", alltoall_in_rank_order,
     alltoall_own_node_first},
    {Level::kFlat, Operation::kAlltoallw, "Alltoallw_intra_scattered", alltoall_mpich_scattered},
    {Level::kFlat, Operation::kAlltoallw, "Alltoallw_intra_pairwise_sendrecv_replace", alltoall_in_rank_order,
     alltoall_own_node_first},
    {Level::kFlat, Operation::kNeighborAllgather, "Neighbor_allgather_allcomm_nb", neighbor_allgather_openmpi},
    {Level::kFlat, Operation::kNeighborAllgatherv, "Neighbor_allgatherv_allcomm_nb", neighbor_allgatherv_openmpi},
    {Level::kFlat, Operation::kNeighborAlltoall, "Neighbor_alltoall_allcomm_nb", neighbor_alltoall_openmpi},
    {Level::kFlat, Operation::kNeighborAlltoallv, "Neighbor_alltoallv_allcomm_nb", neighbor_alltoallv_openmpi},
    {Level::kFlat, Operation::kNeighborAlltoallw, "Neighbor_alltoallw_allcomm_nb", neighbor_alltoallw_openmpi},
    {kNonblocking, Operation::kBarrier, "Ibarrier_intra_sched_recursive_doubling", barrier_bruck},
    {kNonblocking, Operation::kBcast, "Ibcast_intra_sched_smp", bcast_alpha<kNonblocking>},
    {kNonblocking, Operation::kBcast, "Ibcast_intra_sched_binomial", bcast_binomial_at_once},
    {kNonblocking, Operation::kBcast, "Ibcast_intra_sched_scatter_recursive_doubling_allgather",
     bcast_scatter_doubling_allgather_at_once},
    {kNonblocking, Operation::kBcast, "Ibcast_intra_sched_scatter_ring_allgather",
     bcast_scatter_ring_allgather_at_once},
    {kNonblocking, Operation::kReduce, "Ireduce_intra_sched_smp", reduce_beta<kNonblocking>},
    {kNonblocking, Operation::kReduce, "Ireduce_intra_sched_binomial", reduce_binomial_even_empty},
    {kNonblocking, Operation::kReduce, "Ireduce_intra_sched_reduce_scatter_gather", reduce_nonblocking_scatter_gather},
    {kNonblocking, Operation::kAllreduce, "Iallreduce_intra_sched_recursive_doubling", allreduce_recursive_doubling},
    {kNonblocking, Operation::kAllreduce, "Iallreduce_intra_sched_reduce_scatter_allgather", allreduce_rabenseifner},
    {kNonblocking, Operation::kScan, "Iscan_intra_sched_smp", scan_by_nodes<kNonblocking>,
     scan_by_nodes_if_several<kNonblocking>},
    {kNonblocking, Operation::kScan, "Iscan_intra_sched_recursive_doubling", scan_recursive_doubling},
    {kNonblocking, Operation::kExscan, "Iexscan_intra_sched_recursive_doubling", exscan_recursive_doubling},
    {kNonblocking, Operation::kReduceScatter, "Ireduce_scatter_intra_sched_recursive_halving",
     reduce_scatter_mpich_halving},
    {kNonblocking, Operation::kReduceScatter, "Ireduce_scatter_intra_sched_pairwise", reduce_scatter_pairwise},
    {kNonblocking, Operation::kReduceScatter, "Ireduce_scatter_intra_sched_recursive_doubling",
     reduce_scatter_recursive_doubling},
    {kNonblocking, Operation::kReduceScatter, "Ireduce_scatter_intra_sched_noncommutative",
     reduce_scatter_halving_in_order},
    {kNonblocking, Operation::kGather, "Igather_intra_sched_binomial", gather_binomial},
    {kNonblocking, Operation::kGatherv, "Igatherv_allcomm_sched_linear", gatherv_mpich_linear},
    {kNonblocking, Operation::kScatter, "Iscatter_intra_sched_binomial", scatter_mpich_binomial},
    {kNonblocking, Operation::kScatterv, "Iscatterv_allcomm_sched_linear", scatterv_mpich_linear},
    {kNonblocking, Operation::kAllgather, "Iallgather_intra_sched_recursive_doubling", allgather_recursive_doubling},
    {kNonblocking, Operation::kAllgather, "Iallgather_intra_sched_brucks", allgather_bruck},
    {kNonblocking, Operation::kAllgather, "Iallgather_intra_sched_ring", allgather_ring},
    {kNonblocking, Operation::kAllgatherv, "Iallgatherv_intra_sched_recursive_doubling", allgatherv_recursive_doubling},
    {kNonblocking, Operation::kAllgatherv, "Iallgatherv_intra_sched_brucks", allgatherv_bruck},
    {kNonblocking, Operation::kAllgatherv, "Iallgatherv_intra_sched_ring", allgatherv_mpich_ring},
    {kNonblocking, Operation::kAlltoall, "Ialltoall_intra_sched_inplace", alltoall_in_rank_order},
    {kNonblocking, Operation::kAlltoall, "Ialltoall_intra_sched_brucks", alltoall_bruck},
    {kNonblocking, Operation::kAlltoall, "Ialltoall_intra_sched_permuted_sendrecv", alltoall_mpich_scattered},
    {kNonblocking, Operation::kAlltoall, "Ialltoall_intra_sched_pairwise", alltoall_pairwise},
    {kNonblocking, Operation::kAlltoallv, "Ialltoallv_intra_sched_inplace", alltoall_in_rank_order},
    {kNonblocking, Operation::kAlltoallv, "Ialltoallv_intra_sched_blocked", alltoall_mpich_scattered},
    {kNonblocking, Operation::kAlltoallw, "Ialltoallw_intra_sched_inplace", alltoall_in_rank_order},
    {kNonblocking, Operation::kAlltoallw, "Ialltoallw_intra_sched_blocked", alltoall_mpich_scattered},
    {kNonblocking, Operation::kNeighborAllgather, "Ineighbor_allgather_allcomm_sched_linear",
     neighbor_allgather_openmpi},
    {kNonblocking, Operation::kNeighborAllgatherv, "Ineighbor_allgatherv_allcomm_sched_linear",
     neighbor_allgatherv_openmpi},
    {kNonblocking, Operation::kNeighborAlltoall, "Ineighbor_alltoall_allcomm_sched_linear", neighbor_alltoall_openmpi},
    {kNonblocking, Operation::kNeighborAlltoallv, "Ineighbor_alltoallv_allcomm_sched_linear",
     neighbor_alltoallv_openmpi},
    {kNonblocking, Operation::kNeighborAlltoallw, "Ineighbor_alltoallw_allcomm_sched_linear",
     neighbor_alltoallw_openmpi},
};

}  // namespace

std::span<const MpichAlgorithm> mpich_algorithms() { return kAlgorithms; }

}  // namespace pysmpi
