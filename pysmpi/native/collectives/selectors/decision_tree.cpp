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

using Tree = std::vector<DecisionNode>;
std::array<std::array<Tree, kOperations>, 2> trees;  // by level and operation

Tree& tree_of(Level level, Operation operation) {
  return trees[static_cast<std::size_t>(level)][static_cast<std::size_t>(operation)];
}

}  // namespace

// Properties of the call that conditions refer to, computed on demand.
class DecidedCall {
 public:
  DecidedCall(Operation operation, const Runner& run, const Arguments& args)
      : args(args), operation_(operation), run_(run) {}

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
      case Operation::kAllgatherv:
      case Operation::kReduceScatter:
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

  const Operation operation_;
  const Runner& run_;
};

namespace {

template <Operation operation>
Schedule decide_by_device(Runner& run, Arguments args) {
  return decide(Level::kDevice, operation, run, args);
}

template <std::size_t... index>
constexpr std::array<Algorithm, kOperations> decide_by_operation(std::index_sequence<index...>) {
  return {decide_by_device<static_cast<Operation>(index)>...};
}

}  // namespace

Schedule decide(Level level, Operation operation, Runner& run, Arguments args) {
  const Tree& tree = tree_of(level, operation);
  const DecidedCall call(operation, run, args);
  for (std::int32_t at = tree.empty() ? -1 : 0; at >= 0;) {
    const DecisionNode& node = tree[at];
    if (node.run) {
      args.parameter = node.parameter;
      return node.run(run, args);
    }
    at = node.condition(call, node.value) == node.wanted ? node.then : node.otherwise;
  }
  return level == Level::kDevice ? decide(Level::kFlat, operation, run, args) : default_selector(operation)(run, args);
}

Algorithm mpich4_selector(Operation operation) {
  static constexpr std::array<Algorithm, kOperations> kDeciding =
      decide_by_operation(std::make_index_sequence<kOperations>());
  return kDeciding[static_cast<std::size_t>(operation)];
}

}  // namespace pysmpi

using namespace pysmpi;

namespace {

bool is_hierarchical(const DecidedCall& call) {
  const NodeMap* const nodes = call.nodes();
  return nodes && nodes->nodes() > 1 && nodes->nodes() < call.ranks();
}

using Call = const DecidedCall&;
using Value = std::int64_t;

// Conditions by their names in MPICH's tuning files. A name that ends in "=" or "<" is followed there by a number,
// "yes" or "no".
struct NamedCondition {
  const char* name;
  Condition condition;
};
constexpr NamedCondition kConditions[] = {
    {"any", [](Call, Value) { return true; }},
    {"comm_type=intra", [](Call, Value) { return true; }},
    {"comm_size<=", [](Call call, Value value) { return call.ranks() <= value; }},
    {"comm_size<", [](Call call, Value value) { return call.ranks() < value; }},
    {"comm_size=pow2", [](Call call, Value) { return is_power_of_two(call.ranks()); }},
    {"comm_size=node_comm_size", [](Call call, Value) { return call.nodes() && call.nodes()->nodes() == 1; }},
    {"comm_hierarchy=parent", [](Call call, Value) { return is_hierarchical(call); }},
    {"is_node_consecutive=", [](Call call, Value) { return call.nodes() && call.nodes()->consecutive; }},
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
  tree.push_back(node);
  return static_cast<int32_t>(tree.size()) - 1;
}

}  // namespace

int32_t pysmpi_decision_add(int32_t level, const char* operation, const char* condition, int32_t wanted,
                            int64_t value) {
  Tree* const tree = find_tree(level, operation);
  for (const NamedCondition& known : kConditions) {
    if (tree && std::strcmp(known.name, condition) == 0) {
      return append(*tree, {.condition = known.condition, .wanted = wanted != 0, .value = value});
    }
  }
  return -1;
}

int32_t pysmpi_decision_end(int32_t level, const char* operation, const char* algorithm, int32_t parameter) {
  const Catalogue* catalogue = find_catalogue(operation);
  for (const MpichAlgorithm& known : mpich_algorithms()) {
    if (catalogue && belongs(known, level, *catalogue) && std::strcmp(known.name, algorithm) == 0) {
      return append(tree_of(known.level, known.operation), {.run = known.run, .parameter = parameter});
    }
  }
  return -1;
}

void pysmpi_decision_join(int32_t level, const char* operation, int32_t node, int32_t then, int32_t otherwise) {
  DecisionNode& joined = (*find_tree(level, operation))[node];
  joined.then = then;
  joined.otherwise = otherwise;
}

void pysmpi_decision_clear(int32_t level, const char* operation) {
  if (Tree* const tree = find_tree(level, operation)) tree->clear();
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
