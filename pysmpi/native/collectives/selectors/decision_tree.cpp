// Evaluation of MPICH's decision trees, and the C functions that build them.
#include "collectives/selectors/decision_tree.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "collectives/c_api.h"
#include "collectives/selectors/selectors.hpp"
#include "collectives/sizes.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

namespace {

enum class Library : std::uint8_t { kMpich4, kMpich5, kIntelMpi };

struct Tree {
  std::vector<DecisionNode> nodes;
  Library library = Library::kMpich4;
};
std::array<std::array<Tree, kOperations>, kLevels> trees;  // by level and operation

Tree& tree_of(Level level, Operation operation) {
  return trees[static_cast<std::size_t>(level)][static_cast<std::size_t>(operation)];
}

}  // namespace

// Properties of the call that conditions refer to, computed on demand.
class DecidedCall {
 public:
  DecidedCall(Level level, Operation operation, Library library, const Runner& run, const Arguments& args)
      : args(args), level_(level), operation_(operation), library_(library), run_(run) {}

  int ranks() const { return run_.size; }
  const NodeMap* nodes() const { return run_.in_part() ? nullptr : &node_map_in_rank_order(run_.communicator()); }
  double ranks_per_node() const {
    const NodeMap* const map = nodes();
    return map ? static_cast<double>(run_.size) / map->nodes() : 1.0;
  }

  // Bytes of the buffer, or of one block.
  std::int64_t bytes() const {
    const bool sent = operation_ == Operation::kAlltoall || operation_ == Operation::kGather;
    return sent ? args.send_bytes() : args.receive_bytes();
  }

  // The sum of the bytes of all blocks if blocks may differ in size; otherwise bytes() times the number of ranks.
  std::int64_t total_bytes() const {
    switch (operation_) {
      case Operation::kReduceScatter:
        if (takes_elements_for_bytes()) return args.total_receive_count();
        [[fallthrough]];
      case Operation::kAllgatherv:
        return bytes_of(args.total_receive_count(), args.receive_type);
      case Operation::kAlltoallv: {
        std::int64_t sent = 0;
        for (int i = 0; i < args.send_blocks; ++i) sent += args.send_counts[i];
        return bytes_of(sent, args.send_type);
      }
      case Operation::kAlltoallw: {
        std::int64_t sent = 0;
        for (int i = 0; i < args.send_blocks; ++i) {
          sent += bytes_of(args.send_counts[i], static_cast<std::int32_t>(args.send_types[i]));
        }
        return sent;
      }
      default:
        return bytes() * run_.size;
    }
  }

  std::int64_t count() const {
    const bool by_rank = operation_ == Operation::kAllgatherv || operation_ == Operation::kReduceScatter;
    return by_rank ? args.total_receive_count() : args.receive_count;
  }

  const Arguments& args;

 private:
  static std::int64_t bytes_of(std::int64_t count, std::int32_t type) {
    return count == 0 ? 0 : count * find_datatype(type)->size;
  }

  // MPICH's rule for MPI_Ireduce_scatter_block does (csel.c).
  bool takes_elements_for_bytes() const {
    return level_ == Level::kNonblocking && !args.receive_counts && library_ != Library::kIntelMpi;
  }

  const Level level_;
  const Operation operation_;
  const Library library_;
  const Runner& run_;
};

namespace {

// MPICH returns at once from blocking and nonblocking calls if the rank has no elements (src/binding/c/coll_api.txt),
// but starts persistent ones. Of operations with counts, the schedules are empty if no rank has elements.
bool returns_at_once(Operation operation, const Runner& run, const Arguments& args) {
  const bool has_counts =
      operation == Operation::kAllgatherv || (operation == Operation::kReduceScatter && args.receive_counts);
  if (has_counts) return args.total_receive_count() == 0;
  if (args.persistent) return false;
  switch (operation) {
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kScan:
    case Operation::kExscan:
    case Operation::kAlltoall:
    case Operation::kReduceScatter:
      return args.receive_count == 0;
    case Operation::kAllgather:
      return args.send_count == 0 || args.receive_count == 0;
    case Operation::kGather:
      return (run.rank == args.root ? args.receive_count : args.send_count) == 0;
    case Operation::kScatter:
      return (run.rank == args.root ? args.send_count : args.receive_count) == 0;
    default:
      return false;
  }
}

Schedule nothing(Runner&, Arguments) { co_return; }

template <Level level, Operation operation>
Schedule decide_for(Runner& run, Arguments args) {
  return returns_at_once(operation, run, args) ? nothing(run, args) : decide(level, operation, run, args);
}

template <Level level, std::size_t... index>
constexpr std::array<Algorithm, kOperations> decide_by_operation(std::index_sequence<index...>) {
  return {decide_for<level, static_cast<Operation>(index)>...};
}

template <Level level>
Algorithm deciding(Operation operation) {
  static constexpr std::array<Algorithm, kOperations> kDeciding =
      decide_by_operation<level>(std::make_index_sequence<kOperations>());
  return kDeciding[static_cast<std::size_t>(operation)];
}

}  // namespace

Schedule decide(Level level, Operation operation, Runner& run, Arguments args) {
  const auto& [nodes, library] = tree_of(level, operation);
  const DecidedCall call(level, operation, library, run, args);
  for (std::int32_t at = nodes.empty() ? -1 : 0; at >= 0;) {
    const DecisionNode& node = nodes[at];
    if (node.run) {
      args.parameter = node.parameter;
      return node.run(run, args);
    }
    at = node.condition(call, node.value) == node.wanted ? node.then : node.otherwise;
  }
  return level == Level::kFlat ? default_selector(operation)(run, args) : decide(Level::kFlat, operation, run, args);
}

Algorithm mpich_tuned_selector(Operation operation) { return deciding<Level::kDevice>(operation); }

Algorithm mpich_nonblocking(Operation operation, bool between_groups) {
  return between_groups ? nullptr : deciding<Level::kNonblocking>(operation);
}

}  // namespace pysmpi

using namespace pysmpi;

namespace {

// MPICH makes communicators of nodes and of leaders if any node has several ranks, also if there is only one node.
bool is_hierarchical(const DecidedCall& call) {
  const NodeMap* const nodes = call.nodes();
  return nodes && nodes->nodes() < call.ranks();
}

bool is_consecutive(const DecidedCall& call) { return is_hierarchical(call) && call.nodes()->consecutive; }

bool is_on_several_nodes(const DecidedCall& call) { return call.nodes() && call.nodes()->nodes() > 1; }

using Call = const DecidedCall&;
using Value = std::int64_t;

// Conditions by their names in MPICH's tuning files. A name that ends in "=" or "<" is followed there by a number,
// "yes" or "no".
struct NamedCondition {
  const char* name;
  Condition condition;
  Condition in_mpich5 = nullptr;     // if MPICH 5 understands it in another way than MPICH 4
  Condition in_intel_mpi = nullptr;  // if Intel MPI does

  Condition in(Library library) const {
    if (library == Library::kIntelMpi && in_intel_mpi) return in_intel_mpi;
    return library == Library::kMpich5 && in_mpich5 ? in_mpich5 : condition;
  }
};
constexpr NamedCondition kConditions[] = {
    {"any", [](Call, Value) { return true; }},
    {"comm_type=intra", [](Call, Value) { return true; }},
    {"comm_size<=", [](Call call, Value value) { return call.ranks() <= value; }},
    {"comm_size<", [](Call call, Value value) { return call.ranks() < value; }},
    {"comm_size=pow2", [](Call call, Value) { return is_power_of_two(call.ranks()); }},
    {"comm_size=node_comm_size", [](Call call, Value) { return call.nodes() && call.nodes()->nodes() == 1; }},
    {"comm_hierarchy=parent", [](Call call, Value) { return is_hierarchical(call); }, nullptr,
     [](Call call, Value) { return is_hierarchical(call) && is_on_several_nodes(call); }},
    {"is_node_consecutive=", [](Call call, Value) { return is_consecutive(call); },
     [](Call call, Value) { return is_consecutive(call) && is_on_several_nodes(call); },
     [](Call call, Value) { return is_consecutive(call) && is_on_several_nodes(call); }},
    {"comm_avg_ppn<=", [](Call call, Value value) { return call.ranks_per_node() <= static_cast<double>(value); }},
    {"comm_avg_ppn<", [](Call call, Value value) { return call.ranks_per_node() < static_cast<double>(value); }},
    {"avg_msg_size<=", [](Call call, Value value) { return call.bytes() <= value; }},
    {"avg_msg_size<", [](Call call, Value value) { return call.bytes() < value; }},
    {"total_msg_size<=", [](Call call, Value value) { return call.total_bytes() <= value; }},
    {"total_msg_size<", [](Call call, Value value) { return call.total_bytes() < value; }},
    {"per_proc_msg_size<=", [](Call call, Value value) { return call.bytes() / call.ranks() <= value; }},
    {"per_proc_msg_size<", [](Call call, Value value) { return call.bytes() / call.ranks() < value; }},
    {"count<=", [](Call call, Value value) { return call.count() <= value; }},
    {"count<pow2", [](Call call, Value) { return call.count() < power_of_two_up_to(call.ranks()); }},
    {"is_sendbuf_inplace=", [](Call call, Value) { return call.args.in_place; }},
    {"is_block_regular=", [](Call call, Value) { return call.args.has_equal_receive_counts(); }},
    {"is_commutative=", [](Call call, Value) { return call.args.reduction.commutative; }},
    {"is_op_built_in=", [](Call call, Value) { return call.args.reduction.kind != ReductionKind::kUser; }},
};

Tree* find_tree(int32_t level, const char* operation) {
  const Catalogue* catalogue = find_catalogue(operation);
  return catalogue ? &tree_of(static_cast<Level>(level), catalogue->operation) : nullptr;
}

bool belongs(const MpichAlgorithm& algorithm, int32_t level, const Catalogue& catalogue) {
  return static_cast<int32_t>(algorithm.level) == level && algorithm.operation == catalogue.operation;
}

int32_t append(Tree& tree, const DecisionNode& node) {
  tree.nodes.push_back(node);
  return static_cast<int32_t>(tree.nodes.size()) - 1;
}

}  // namespace

int32_t pysmpi_decision_add(int32_t level, const char* operation, const char* condition, int32_t wanted,
                            int64_t value) {
  Tree* const tree = find_tree(level, operation);
  for (const NamedCondition& known : kConditions) {
    if (tree && std::strcmp(known.name, condition) == 0) {
      return append(*tree, {.condition = known.in(tree->library), .wanted = wanted != 0, .value = value});
    }
  }
  return -1;
}

int32_t pysmpi_decision_end(int32_t level, const char* operation, const char* algorithm, int32_t parameter) {
  const Catalogue* catalogue = find_catalogue(operation);
  for (const MpichAlgorithm& known : mpich_algorithms()) {
    if (catalogue && belongs(known, level, *catalogue) && std::strcmp(known.name, algorithm) == 0) {
      Tree& tree = tree_of(known.level, known.operation);
      const bool differs = tree.library == Library::kMpich5 && known.in_mpich5;
      return append(tree, {.run = differs ? known.in_mpich5 : known.run, .parameter = parameter});
    }
  }
  return -1;
}

void pysmpi_decision_join(int32_t level, const char* operation, int32_t node, int32_t then, int32_t otherwise) {
  DecisionNode& joined = find_tree(level, operation)->nodes[node];
  joined.then = then;
  joined.otherwise = otherwise;
}

void pysmpi_decision_clear(int32_t level, const char* operation, int32_t library) {
  if (Tree* const tree = find_tree(level, operation)) *tree = {.nodes = {}, .library = static_cast<Library>(library)};
}

const char* pysmpi_decision_condition(int32_t index) {
  return index < static_cast<int32_t>(std::size(kConditions)) ? kConditions[index].name : nullptr;
}

const char* pysmpi_decision_algorithm(int32_t level, const char* operation, int32_t index) {
  const Catalogue* catalogue = find_catalogue(operation);
  for (const MpichAlgorithm& known : mpich_algorithms()) {
    if (catalogue && belongs(known, level, *catalogue) && index-- == 0) return known.name;
  }
  return nullptr;
}
