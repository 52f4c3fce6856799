// SimGrid's cluster FAT_TREE: a parallel-ports generalised k-ary n-tree (E. Zahavi, "D-Mod-K routing providing
// non-blocking traffic for shift permutations on real life fat trees", CCIT report 776, 2010). Its routing is D-mod-K,
// or draws ports at random for each message, or takes them in turn: the packets of a message spread evenly over all
// ways up, as with switches that send packets upwards by turns.
#include <array>
#include <span>

#include "platform/cluster.hpp"
#include "platform/divider.hpp"
#include "platform/make_cluster.hpp"

namespace pysmpi {
namespace {

// The cables between the nodes of one level (hosts on level 0) and the switches of the level above.
struct FatTreeLevel {
  std::uint32_t children;  // nodes below each switch
  std::uint32_t parents;   // switches above each node
  std::uint32_t cables;    // parallel cables between a node and a switch above it
};

// The number of a node on its level is a mixed-radix number with one digit for each level of cables. On level l, digit
// i tells for i < l which parent was taken on the way up from level i; for i >= l, it tells which child the node, or
// its ancestor on level i, is. So a node on level l and its parents on level l + 1 differ only in digit l. Example with
// two levels of cables, 2 parents each: host (1, 0), with digit 0 first, has the parents (0, 0) and (1, 0).
class FatTree final : public Cluster {
 public:
  static constexpr std::size_t kMaxLevels = 32;  // more levels could not have two children each

  // `earlier_hosts` and `earlier_cables` count the fat trees described before this one. SimGrid adds them to the D of
  // D-mod-K and to the numbers in names of links.
  FatTree(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
          std::span<const FatTreeLevel> levels, std::uint32_t earlier_hosts, std::uint32_t earlier_cables);

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  std::uint32_t cable_links() const override { return cable_count_ * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;
  std::uint32_t switches() const override { return switch_count_; }
  std::string limiter_number(std::uint32_t index) const override;

 private:
  struct Storey {
    Divider children, parents, cables;
    Divider parents_and_cables;
    Divider low;                 // product of `parents` of all levels below: number of values of the digits below
    Divider subtree;             // number of hosts below a node of the lower level
    std::uint32_t first_cable;   // first cable of this level
    std::uint32_t nodes;         // number of nodes of the lower level
    std::uint32_t first_switch;  // first switch of the upper level; switches count from 0
  };

  std::int64_t node_number(std::size_t level, std::uint32_t node) const;

  std::vector<Storey> storeys_;
  std::uint32_t cable_count_ = 0;
  std::uint32_t switch_count_ = 0;
  std::uint32_t earlier_hosts_;
  std::uint32_t earlier_cables_;
  bool parallel_cables_ = false;
};

FatTree::FatTree(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                 std::span<const FatTreeLevel> levels, std::uint32_t earlier_hosts, std::uint32_t earlier_cables)
    : Cluster(std::move(name), place, depth, std::move(settings)),
      earlier_hosts_(earlier_hosts),
      earlier_cables_(earlier_cables) {
  std::uint32_t low = 1;
  std::uint32_t subtree = 1;
  std::uint32_t nodes = host_count();
  for (const FatTreeLevel& level : levels) {
    storeys_.push_back({.children = Divider(level.children),
                        .parents = Divider(level.parents),
                        .cables = Divider(level.cables),
                        .parents_and_cables = Divider(level.parents * level.cables),
                        .low = Divider(low),
                        .subtree = Divider(subtree),
                        .first_cable = cable_count_,
                        .nodes = nodes,
                        .first_switch = switch_count_});
    cable_count_ += nodes * level.parents * level.cables;
    parallel_cables_ = parallel_cables_ || level.cables > 1;
    low *= level.parents;
    subtree *= level.children;
    nodes = nodes / level.children * level.parents;
    switch_count_ += nodes;
  }
}

bool FatTree::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways&) const {
  if (source == destination && has_loopback()) {
    append_loopback(source, out);
    return true;
  }
  const auto cable_of = [](const Storey& storey, std::uint32_t node, std::uint32_t parent, std::uint32_t cable) {
    return storey.first_cable + (node * storey.parents.divisor() + parent) * storey.cables.divisor() + cable;
  };
  const auto limiter_of = [this](std::size_t level, std::uint32_t node) {
    return level == 0 ? node : host_count() + storeys_[level - 1].first_switch + node;
  };

  // Climb to the first switch that has the destination below it. The digits of levels that are not climbed yet stay
  // those of the source. The port taken, and with it the digit of the climbed level, depends on the destination
  // (D-mod-K), is random, or is the next in turn.
  const bool random = routing() == RoutingChoice::kRandom;
  Draw draw = random ? draw_for(source, destination, out) : Draw();
  const bool turns = routing() == RoutingChoice::kTurns;
  std::uint64_t turn = turns ? turn_of(source, destination, out) : 0;
  // Returns which of `count` ports is next. `turn` is a mixed-radix number with a digit for each level, so that
  // successive values use all ways up in turn.
  const auto next_turn = [&turn](std::uint32_t count) {
    const auto port = static_cast<std::uint32_t>(turn % count);
    turn /= count;
    return port;
  };
  const std::size_t levels = storeys_.size();
  const std::uint32_t counted_source = source + earlier_hosts_;
  const std::uint32_t counted_destination = destination + earlier_hosts_;
  std::array<std::uint32_t, kMaxLevels + 1> low;
  std::array<std::uint32_t, kMaxLevels> parent;
  low[0] = 0;
  std::size_t level = 0;
  do {
    const Storey& storey = storeys_[level];
    const std::uint32_t node = low[level] + storey.subtree.quotient(source) * storey.low.divisor();
    append_limiter(limiter_of(level, node), out);
    const std::uint32_t ports = storey.parents_and_cables.divisor();
    const std::uint32_t port = random  ? draw.below(ports)
                               : turns ? next_turn(ports)
                                       : storey.parents_and_cables.remainder(storey.low.quotient(counted_destination));
    const std::uint32_t cable = storey.parents.quotient(port);
    parent[level] = port - cable * storey.parents.divisor();
    append_cable(up(cable_of(storey, node, parent[level], cable)), out);
    low[level + 1] = low[level] + parent[level] * storey.low.divisor();
    ++level;
  } while (level < levels && storeys_[level].subtree.quotient(source) != storeys_[level].subtree.quotient(destination));

  // Descend to the destination. SimGrid finds the cable by searching the ports of each switch, upwards from a start
  // port, for one that leads to the next node. In the first switch, the start port depends on the source; in later
  // switches, it follows the port used before. If no port is left, the port that depends on the source is used.
  std::uint32_t next_port = 0;
  bool restart_search = true;
  std::uint32_t above =
      low[level] + (level < levels ? storeys_[level].subtree.quotient(destination) * storeys_[level].low.divisor() : 0);
  while (level > 0) {
    const std::uint32_t switch_limiter = limiter_of(level, above);
    --level;
    const Storey& storey = storeys_[level];
    const std::uint32_t branch = storey.subtree.quotient(destination);
    const std::uint32_t node = low[level] + branch * storey.low.divisor();
    std::uint32_t cable = 0;
    if (random) {
      cable = draw.below(storey.cables.divisor());
    } else if (turns) {
      cable = next_turn(storey.cables.divisor());
    } else if (parallel_cables_) {
      const std::uint32_t children = storey.children.divisor();
      const std::uint32_t child = storey.children.remainder(branch);
      const std::uint32_t offset = storey.children.remainder(next_port);
      std::uint32_t port = next_port - offset + child + (child < offset ? children : 0);
      if (restart_search || port >= children * storey.cables.divisor()) {
        port = storey.cables.remainder(counted_source) * children + child;
      }
      cable = storey.children.quotient(port);
      next_port = port + 1;
      restart_search = false;
    }
    append_cable(down(cable_of(storey, node, parent[level], cable)), out);
    append_limiter(switch_limiter, out);
    above = node;
  }
  append_limiter(destination, out);
  return true;
}

// SimGrid numbers the hosts upwards from 0 and the switches downwards from twice the number of hosts.
std::int64_t FatTree::node_number(std::size_t level, std::uint32_t node) const {
  if (level == 0) return node;
  return 2 * std::int64_t{host_count()} - 1 - (std::int64_t{storeys_[level - 1].first_switch} + node);
}

std::string FatTree::cable_link_name(std::uint32_t index) const {
  const std::uint32_t number = index / width();
  std::size_t level = storeys_.size() - 1;
  while (storeys_[level].first_cable > number) --level;
  const Storey& storey = storeys_[level];
  const std::uint32_t port = storey.cables.quotient(number - storey.first_cable);
  const std::uint32_t node = storey.parents.quotient(port);
  const std::uint32_t parent = storey.parents.remainder(port);
  const std::uint32_t branch = storey.children.quotient(storey.low.quotient(node));
  const std::uint32_t above =
      storey.low.remainder(node) + (parent + branch * storey.parents.divisor()) * storey.low.divisor();
  return with_direction("link_from_" + std::to_string(node_number(level, node)) + "_" +
                            std::to_string(node_number(level + 1, above)) + "_" +
                            std::to_string(earlier_cables_ + number),
                        index);
}

std::string FatTree::limiter_number(std::uint32_t index) const {
  if (index < host_count()) return std::to_string(index);
  return std::to_string(static_cast<std::uint64_t>(node_number(1, index - host_count())));
}

// Makes the cluster from `plan.parameters`: FatTreeLevel::children of all levels, then the parents, then the cables.
std::unique_ptr<Cluster> make_fat_tree(ClusterPlan plan) {
  const auto values = plan.parameters;
  const std::size_t count = values.size() / 3;
  std::vector<FatTreeLevel> levels;
  for (std::size_t i = 0; i < count; ++i) levels.push_back({values[i], values[count + i], values[2 * count + i]});
  return std::make_unique<FatTree>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings), levels,
                                   plan.earlier.hosts, plan.earlier.cables);
}

const TopologyRegistration fat_tree_registration("FAT_TREE", make_fat_tree);

}  // namespace
}  // namespace pysmpi
