#include "value_flow/count.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <utility>

namespace pysmpi {

namespace {

// Most values that a node computes one from another to get a value; the search for longer chains takes too long.
constexpr int kLongestChain = 8;

// A node that needs a value, and the first event that does.
struct Need {
  std::int32_t node;
  std::int32_t at;
};

// The nodes that need each value, in lists that are filled one after the other.
class Needs {
 public:
  Needs(std::int32_t values, std::int32_t nodes) : begin_(static_cast<std::size_t>(values) + 1), last_(nodes, -1) {}

  // Adds to the list of the value that is being filled, unless the node is in it.
  void add(std::int32_t node, std::int32_t at) {
    if (last_[node] >= first_) {
      Need& known = list_[static_cast<std::size_t>(last_[node])];
      known.at = std::min(known.at, at);
      return;
    }
    last_[node] = static_cast<std::int64_t>(list_.size());
    list_.push_back({node, at});
  }
  // Ends the list of a value; values follow each other in increasing order.
  void end(std::int32_t value) {
    std::sort(list_.begin() + first_, list_.end(), [](Need a, Need b) { return a.node < b.node; });
    first_ = static_cast<std::int64_t>(list_.size());
    begin_[static_cast<std::size_t>(value) + 1] = first_;
  }

  std::span<Need> of(std::int32_t value) {
    return {list_.data() + begin_[value], static_cast<std::size_t>(begin_[value + 1] - begin_[value])};
  }
  // Returns the entry of a node, or null if the node does not need the value.
  Need* find(std::int32_t value, std::int32_t node) {
    const auto needs = of(value);
    const auto found = std::lower_bound(needs.begin(), needs.end(), node,
                                        [](const Need& need, std::int32_t wanted) { return need.node < wanted; });
    return found != needs.end() && found->node == node ? &*found : nullptr;
  }

 private:
  std::vector<std::int64_t> begin_;
  std::vector<std::int64_t> last_;  // indexed by node: position of its last entry
  std::int64_t first_ = 0;          // begin of the list that is being filled
  std::vector<Need> list_;
};

class Counter {
 public:
  Counter(const ValueGraph& graph, std::span<const std::int32_t> part, std::int32_t nodes)
      : graph_(graph), part_(part), nodes_(nodes), meetings_(graph.values(), nodes), needs_(graph.values(), nodes) {}

  WordCount run() {
    for (std::int32_t value = 0; value < graph_.values(); ++value) {
      if (graph_.is_meeting(value)) {
        for (const EdgeEnd& reader : graph_.readers(value)) meetings_.add(part_[reader.value], reader.at);
      }
      meetings_.end(value);
    }
    find_needs();
    for (std::int32_t value = 0; value < graph_.values(); ++value) {
      if (graph_.is_sum(value)) add_parts(value);
    }
    for (std::int32_t value = 0; value < graph_.values(); ++value) {
      for (const Need& need : needs_.of(value)) {
        const bool repeats = can_compute(value, need.node, Chain{});
        (repeats ? count_.repeated : count_.sent).add(value, need.node, need.at);
        if (repeats) {
          pass_chain(value, need.node, need.at);
        } else {
          count_.words += graph_.words(value, need.at);
        }
      }
    }
    for (const auto& [key, at] : between_) {
      count_.repeated.add(static_cast<std::int32_t>(key / nodes_), static_cast<std::int32_t>(key % nodes_), at);
    }
    return std::move(count_);
  }

 private:
  void find_needs() {
    auto steering = graph_.steering().begin();
    for (std::int32_t value = 0; value < graph_.values(); ++value) {
      const std::int32_t own = part_[value];
      const auto need = [&](std::int32_t node, std::int32_t at) {
        if (node != own) needs_.add(node, at);
      };
      if (!graph_.is_meeting(value)) {
        for (const EdgeEnd& reader : graph_.readers(value)) {
          if (graph_.is_meeting(reader.value)) {
            for (const Need& each : meetings_.of(reader.value)) need(each.node, each.at);
          } else if (!graph_.is_sum(reader.value)) {
            need(part_[reader.value], reader.at);
          }
        }
      }
      for (; steering != graph_.steering().end() && steering->value == value; ++steering) {
        for (std::int32_t node = 0; node < nodes_; ++node) need(node, steering->at);
      }
      needs_.end(value);
    }
  }

  // Finds the nodes that send a partial sum of their elements. All other elements are known to the owner, which adds
  // them up.
  void add_parts(std::int32_t sum) {
    const std::int32_t owner = part_[sum];
    holders_.clear();
    for (const std::int32_t element : graph_.sources(sum)) {
      const std::int32_t holder = part_[element];
      if (graph_.is_meeting(element) || holder == owner) continue;
      holders_.push_back({holder, element, needs_.find(element, owner) || can_compute(element, owner, Chain{})});
    }
    std::stable_sort(holders_.begin(), holders_.end(),
                     [](const Held& a, const Held& b) { return a.holder < b.holder; });
    for (std::size_t begin = 0, end; begin < holders_.size(); begin = end) {
      bool all = true;
      for (end = begin; end < holders_.size() && holders_[end].holder == holders_[begin].holder; ++end) {
        all = all && holders_[end].held;
      }
      if (!all) {
        count_.parts.add(sum, holders_[begin].holder, graph_.event(sum));
        count_.words += graph_.words(sum, graph_.event(sum));
        continue;
      }
      for (std::size_t i = begin; i < end; ++i) use(holders_[i].element, owner, graph_.event(sum));
    }
  }

  // Notes that an event uses an element on a node that has the element, or can compute it from values that it has.
  void use(std::int32_t element, std::int32_t node, std::int32_t at) {
    const auto lower = [&](std::int32_t value) {
      if (Need* need = needs_.find(value, node)) need->at = std::min(need->at, at);
    };
    lower(element);
    for (const std::int32_t source : graph_.sources(element)) lower(source);
    if (!needs_.find(element, node)) pass_chain(element, node, at);
  }

  // Limits on the chain of values that a node computes, one from another, to get a value: their number, and the event
  // after which all of them must first have been computed. A chain does not pass a statement twice, so it does not go
  // back into earlier steps of a program.
  struct Chain {
    int length = kLongestChain;
    std::int32_t before = -1;
  };
  Chain beyond(std::int32_t value, Chain chain) const {
    return {chain.length - 1, std::max(chain.before, graph_.same_before(graph_.event(value)))};
  }
  bool may_repeat(std::int32_t value, Chain chain) const {
    return chain.length > 0 && graph_.is_elementwise(value) && graph_.event(value) > chain.before;
  }

  // Notes the values that a node computes only because an event needs `value`, which is computed from them.
  void pass_chain(std::int32_t value, std::int32_t node, std::int32_t at) {
    for (const std::int32_t source : graph_.sources(value)) {
      if (graph_.is_meeting(source) || has(source, node)) continue;
      const auto [known, added] = between_.try_emplace(key_of(source, node), at);
      if (!added && known->second <= at) continue;
      known->second = at;
      pass_chain(source, node, at);
    }
  }

  bool has(std::int32_t value, std::int32_t node) { return part_[value] == node || needs_.find(value, node); }

  // Returns whether a node has all sources of a value, or can compute them.
  bool can_compute(std::int32_t value, std::int32_t node, Chain chain) {
    if (!graph_.computed(value)) return false;
    const Chain rest = beyond(value, chain);
    const auto sources = graph_.sources(value);
    // Most values cannot be computed, because the node neither has one of the sources nor can compute it. This test
    // detects that at once, without the search below.
    const bool possible = std::all_of(sources.begin(), sources.end(), [&](std::int32_t source) {
      return graph_.is_meeting(source) ? has_meeting(source, node) : has(source, node) || may_repeat(source, rest);
    });
    return possible && std::all_of(sources.begin(), sources.end(), [&](std::int32_t source) {
             return graph_.is_meeting(source) || has(source, node) || searched(source, node, rest);
           });
  }

  // Returns the result of can_compute, and remembers it.
  bool searched(std::int32_t value, std::int32_t node, Chain chain) {
    const std::int64_t key = key_of(value, node);
    if (const auto known = tried_.find(key); known != tried_.end()) {
      const Tried& last = known->second;
      const bool longer = chain.length >= last.chain.length && chain.before <= last.chain.before;
      const bool shorter = chain.length <= last.chain.length && chain.before >= last.chain.before;
      if (last.found ? longer : shorter) return last.found;
    }
    const bool found = can_compute(value, node, chain);
    tried_[key] = {chain, found};
    return found;
  }

  std::int64_t key_of(std::int32_t value, std::int32_t node) const { return std::int64_t{value} * nodes_ + node; }

  bool has_meeting(std::int32_t meeting, std::int32_t node) {
    const auto [known, added] = has_meeting_.try_emplace(key_of(meeting, node), false);
    if (added) {
      const auto sources = graph_.sources(meeting);
      known->second =
          std::all_of(sources.begin(), sources.end(), [&](std::int32_t source) { return has(source, node); });
    }
    return known->second;
  }

  // An element of a sum on another node than the sum, and whether the sum's owner has it as well.
  struct Held {
    std::int32_t holder, element;
    bool held;
  };

  struct Tried {
    Chain chain;
    bool found;
  };

  const ValueGraph& graph_;
  std::span<const std::int32_t> part_;
  std::int32_t nodes_;
  Needs meetings_;  // nodes that read the sinks of each meeting
  Needs needs_;
  std::unordered_map<std::int64_t, bool> has_meeting_;  // key: meeting, node; whether the node has all sources
  std::unordered_map<std::int64_t, Tried> tried_;       // key: value, node; result of the last search
  std::map<std::int64_t, std::int32_t> between_;        // key: value of a chain, node; first event that uses it
  std::vector<Held> holders_;
  WordCount count_;
};

}  // namespace

WordCount count_words(const ValueGraph& graph, std::span<const std::int32_t> part, std::int32_t nodes) {
  return Counter(graph, part, nodes).run();
}

}  // namespace pysmpi
