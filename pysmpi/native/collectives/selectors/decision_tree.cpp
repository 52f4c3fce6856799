// Evaluation of MPICH's decision trees, and the C functions that build them.
#include "collectives/selectors/decision_tree.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "collectives/c_api.h"
#include "collectives/selectors/selectors.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

namespace {

using Tree = std::vector<DecisionNode>;
std::array<std::array<Tree, kOperations>, 2> trees;  // by level and operation

Tree& tree_of(Level level, Operation operation) {
  return trees[static_cast<std::size_t>(level)][static_cast<std::size_t>(operation)];
}

// Properties of the call that conditions refer to, computed on demand.
class Call {
 public:
  Call(Operation operation, const Runner& run, const Arguments& args) : operation_(operation), run_(run), a_(args) {}

  bool holds(const DecisionNode& node) const {
    switch (node.condition) {
      case Condition::kAlways:
      case Condition::kIntracommunicator:
        return true;
      case Condition::kRanksAtMost:
        return run_.size <= node.value;
      case Condition::kRanksBelow:
        return run_.size < node.value;
      case Condition::kRanksPowerOfTwo:
        return std::has_single_bit(static_cast<std::uint32_t>(run_.size));
      case Condition::kRanksOfOneNode:
        return !run_.in_part() && nodes().nodes() == 1;
      case Condition::kHierarchical:
        return !run_.in_part() && nodes().nodes() > 1 && nodes().nodes() < run_.size;
      case Condition::kRanksConsecutive:
        return !run_.in_part() && nodes().consecutive;
      case Condition::kRanksPerNodeAtMost:
        return ranks_per_node() <= static_cast<double>(node.value);
      case Condition::kRanksPerNodeBelow:
        return ranks_per_node() < static_cast<double>(node.value);
      case Condition::kBytesAtMost:
        return bytes() <= node.value;
      case Condition::kBytesBelow:
        return bytes() < node.value;
      case Condition::kTotalBytesAtMost:
        return total_bytes() <= node.value;
      case Condition::kTotalBytesBelow:
        return total_bytes() < node.value;
      case Condition::kBytesPerRankAtMost:
        return bytes() / run_.size <= node.value;
      case Condition::kBytesPerRankBelow:
        return bytes() / run_.size < node.value;
      case Condition::kCountAtMost:
        return count() <= node.value;
      case Condition::kCountBelowPowerOfTwo:
        return count() < std::bit_floor(static_cast<std::uint32_t>(run_.size));
      case Condition::kInPlace:
        return a_.in_place;
      case Condition::kEqualCounts:
        return a_.has_equal_receive_counts();
      case Condition::kCommutative:
        return a_.reduction.commutative;
      case Condition::kPredefinedReduction:
        return a_.reduction.kind != ReductionKind::kUser;
    }
    __builtin_unreachable();
  }

 private:
  const NodeMap& nodes() const { return node_map_in_rank_order(run_.communicator()); }
  double ranks_per_node() const { return run_.in_part() ? 1.0 : static_cast<double>(run_.size) / nodes().nodes(); }

  static std::int64_t bytes_of(std::int64_t count, std::int32_t type) {
    return count == 0 ? 0 : count * find_datatype(type)->size;
  }

  std::int64_t bytes() const {
    const bool sent = operation_ == Operation::kAlltoall || operation_ == Operation::kGather;
    return sent ? a_.send_bytes() : a_.receive_bytes();
  }

  std::int64_t total_bytes() const {
    switch (operation_) {
      case Operation::kAllgatherv:
      case Operation::kReduceScatter:
        return bytes_of(a_.total_receive_count(), a_.receive_type);
      case Operation::kAlltoallv: {
        std::int64_t sent = 0;
        for (int i = 0; i < a_.send_blocks; ++i) sent += a_.send_counts[i];
        return bytes_of(sent, a_.send_type);
      }
      case Operation::kAlltoallw: {
        std::int64_t sent = 0;
        for (int i = 0; i < a_.send_blocks; ++i) {
          sent += bytes_of(a_.send_counts[i], static_cast<std::int32_t>(a_.send_types[i]));
        }
        return sent;
      }
      default:
        return bytes() * run_.size;
    }
  }

  std::int64_t count() const {
    const bool by_rank = operation_ == Operation::kAllgatherv || operation_ == Operation::kReduceScatter;
    return by_rank ? a_.total_receive_count() : a_.receive_count;
  }

  const Operation operation_;
  const Runner& run_;
  const Arguments& a_;
};

template <Operation operation>
Schedule decide_by_device(Runner& run, Arguments args) {
  return decide(Level::kDevice, operation, run, args);
}

template <std::size_t... index>
constexpr std::array<Algorithm, kOperations> by_operation(std::index_sequence<index...>) {
  return {decide_by_device<static_cast<Operation>(index)>...};
}

}  // namespace

Schedule decide(Level level, Operation operation, Runner& run, Arguments args) {
  const Tree& tree = tree_of(level, operation);
  const Call call(operation, run, args);
  for (std::int32_t at = tree.empty() ? -1 : 0; at >= 0;) {
    const DecisionNode& node = tree[at];
    if (node.run) {
      args.parameter = node.parameter;
      return node.run(run, args);
    }
    at = call.holds(node) == node.wanted ? node.then : node.otherwise;
  }
  return level == Level::kDevice ? decide(Level::kFlat, operation, run, args) : default_selector(operation)(run, args);
}

Algorithm mpich4_selector(Operation operation) {
  static constexpr std::array<Algorithm, kOperations> kDeciding = by_operation(std::make_index_sequence<kOperations>());
  return kDeciding[static_cast<std::size_t>(operation)];
}

}  // namespace pysmpi

using namespace pysmpi;

namespace {

// Names of conditions as in MPICH's tuning files. A name that ends in "=" or "<" is followed there by a number, "yes"
// or "no".
struct ConditionName {
  const char* name;
  Condition condition;
};
constexpr ConditionName kConditions[] = {
    {"any", Condition::kAlways},
    {"comm_type=intra", Condition::kIntracommunicator},
    {"comm_size<=", Condition::kRanksAtMost},
    {"comm_size<", Condition::kRanksBelow},
    {"comm_size=pow2", Condition::kRanksPowerOfTwo},
    {"comm_size=node_comm_size", Condition::kRanksOfOneNode},
    {"comm_hierarchy=parent", Condition::kHierarchical},
    {"is_node_consecutive=", Condition::kRanksConsecutive},
    {"comm_avg_ppn<=", Condition::kRanksPerNodeAtMost},
    {"comm_avg_ppn<", Condition::kRanksPerNodeBelow},
    {"avg_msg_size<=", Condition::kBytesAtMost},
    {"avg_msg_size<", Condition::kBytesBelow},
    {"total_msg_size<=", Condition::kTotalBytesAtMost},
    {"total_msg_size<", Condition::kTotalBytesBelow},
    {"per_proc_msg_size<=", Condition::kBytesPerRankAtMost},
    {"per_proc_msg_size<", Condition::kBytesPerRankBelow},
    {"count<=", Condition::kCountAtMost},
    {"count<pow2", Condition::kCountBelowPowerOfTwo},
    {"is_sendbuf_inplace=", Condition::kInPlace},
    {"is_block_regular=", Condition::kEqualCounts},
    {"is_commutative=", Condition::kCommutative},
    {"is_op_built_in=", Condition::kPredefinedReduction},
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
  for (const ConditionName& known : kConditions) {
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
