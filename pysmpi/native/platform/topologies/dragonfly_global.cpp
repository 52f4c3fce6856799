// A dragonfly in which the routers of a group form a grid whose rows and columns are fully joined, and each router has
// h cables to other groups (J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly
// topology", ISCA 2008). The cables are arranged as in SST/macro 7.1: router q of group g has one to each of the groups
// g + (q mod G) + d max(1, G / h), d < h, where it ends at the router with the same place in its group. Messages cross
// these cables in one direction only; the second link of each is not used.
//
// Example: 5 groups of 5 x 5 routers, h = 1. The routers 3, 8, 13, 18 and 23 of group 1 each have a cable to group 4.
// So five cables lead from each group to each other one.
#include "platform/topologies/dragonfly_global.hpp"

#include <algorithm>

#include "platform/fabric.hpp"
#include "platform/pairs.hpp"

namespace pysmpi {
namespace {

class GlobalDragonfly final : public SwitchedFabric {
 public:
  GlobalDragonfly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                  const GlobalDragonflyShape& shape);

  // Under kUgalSst7, minimal walks and both parts of a detour each have channels of their own, because a detour may
  // begin at any router of a minimal walk.
  std::uint32_t channels() const override {
    return routing() == RoutingChoice::kUgalSst7 ? 3 * minimal_channels() : SwitchedFabric::channels();
  }

 protected:
  std::uint32_t nodes() const override { return shape_.groups * routers_.divisor(); }
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  // Appends a walk over a random router, of the same group if both ends are in one group.
  void append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const override;
  void append_walk(std::uint32_t from, std::uint32_t to, std::uint32_t source, std::uint32_t destination,
                   Route& out) const override;
  // Returns 2: one up to the cable to another group, and one after it.
  std::uint32_t minimal_channels() const override { return 2; }

  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t index) const override;
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  // Returns which of the cables of a router leads to the group that is `ahead` groups further, or kNone. `place` is the
  // position of the router in its own group.
  std::uint32_t global_cable(std::uint32_t place, std::uint32_t ahead) const;
  std::uint32_t ahead_of(std::uint32_t place, std::uint32_t cable) const {
    return groups_.remainder(groups_.remainder(place) + cable * step_);
  }
  // Returns the position in its group of the router whose cable a walk takes to the group that is `ahead` groups
  // further. If several routers have such a cable, those in the row of `place` (the walk's first router) are preferred,
  // then those in its column. Among equals, the number of the destination decides.
  std::uint32_t exit_of(std::uint32_t place, std::uint32_t ahead, std::uint32_t to) const;
  void append_in_group(std::uint32_t group, std::uint32_t from, std::uint32_t to, Route& out) const;
  // Returns a router at random, of the same group if both ends are in one group.
  std::uint32_t middle_of(std::uint32_t from, std::uint32_t to, Draw& draw) const;
  // Returns the router that the minimal walk comes to after some cables.
  std::uint32_t router_after(std::uint32_t from, std::uint32_t to, std::size_t cables) const;
  // Appends the minimal walk, or its first part and a detour from the router where the packet is, as kUgalSst7 chooses.
  void append_reconsidered(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const;

  GlobalDragonflyShape shape_;
  Divider routers_, rows_, groups_;
  std::uint32_t step_;  // distance between the groups to which consecutive cables of a router lead
  std::uint32_t row_pairs_, column_pairs_;
  std::uint32_t first_row_, first_column_, first_global_, end_;  // numbers of cables; the hosts' cables come first
};

GlobalDragonfly::GlobalDragonfly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                                 const GlobalDragonflyShape& shape)
    : SwitchedFabric(std::move(name), place, depth, std::move(settings), shape.hosts),
      shape_(shape),
      routers_(shape.rows * shape.columns),
      rows_(shape.rows),
      groups_(shape.groups),
      step_(std::max(1U, shape.groups / shape.global)),
      row_pairs_(pair_count(shape.rows)),
      column_pairs_(pair_count(shape.columns)),
      first_row_(host_count()),
      first_column_(first_row_ + shape.groups * shape.columns * row_pairs_),
      first_global_(first_column_ + shape.groups * shape.rows * column_pairs_),
      end_(first_global_ + shape.groups * routers_.divisor() * shape.global) {}

std::uint32_t GlobalDragonfly::global_cable(std::uint32_t place, std::uint32_t ahead) const {
  for (std::uint32_t cable = 0; cable < shape_.global; ++cable) {
    if (ahead_of(place, cable) == ahead) return cable;
  }
  return kNone;
}

std::uint32_t GlobalDragonfly::exit_of(std::uint32_t place, std::uint32_t ahead, std::uint32_t to) const {
  if (global_cable(place, ahead) != kNone) return place;
  const std::uint32_t rows = shape_.rows;
  const std::uint32_t y = rows_.quotient(place);
  const std::uint32_t x = place - y * rows;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const std::uint32_t other = y * rows + (to + i) % rows;
    if (global_cable(other, ahead) != kNone) return other;
  }
  for (std::uint32_t i = 0; i < shape_.columns; ++i) {
    const std::uint32_t other = (to + i) % shape_.columns * rows + x;
    if (global_cable(other, ahead) != kNone) return other;
  }
  for (std::uint32_t i = 0;; ++i) {  // the loop ends, because each group has a cable to each other one
    const std::uint32_t other = routers_.remainder(to + i);
    if (global_cable(other, ahead) != kNone) return other;
  }
}

void GlobalDragonfly::append_in_group(std::uint32_t group, std::uint32_t from, std::uint32_t to, Route& out) const {
  const std::uint32_t from_y = rows_.quotient(from), to_y = rows_.quotient(to);
  const std::uint32_t from_x = from - from_y * shape_.rows, to_x = to - to_y * shape_.rows;
  const std::uint32_t first = group * routers_.divisor();
  if (from_x != to_x) {
    const std::uint32_t row = group * shape_.columns + from_y;
    const std::uint32_t cable = first_row_ + row * row_pairs_ + pair_number(from_x, to_x, shape_.rows);
    append_step(first + from, towards(cable, from_x, to_x), out);
  }
  if (from_y != to_y) {
    const std::uint32_t column = group * shape_.rows + to_x;
    const std::uint32_t cable = first_column_ + column * column_pairs_ + pair_number(from_y, to_y, shape_.columns);
    append_step(first + from_y * shape_.rows + to_x, towards(cable, from_y, to_y), out);
  }
}

void GlobalDragonfly::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  const std::uint32_t group = routers_.quotient(from), target = routers_.quotient(to);
  const std::uint32_t place = routers_.remainder(from), target_place = routers_.remainder(to);
  if (group == target) return append_in_group(group, place, target_place, out);
  const std::uint32_t ahead = (target < group ? target + shape_.groups : target) - group;
  const std::uint32_t exit = exit_of(place, ahead, to);
  append_in_group(group, place, exit, out);
  const std::uint32_t router = group * routers_.divisor() + exit;
  append_step(router, up(first_global_ + router * shape_.global + global_cable(exit, ahead)), out);
  out.use_channel(out.channel() + 1);
  append_in_group(target, exit, target_place, out);
}

std::uint32_t GlobalDragonfly::middle_of(std::uint32_t from, std::uint32_t to, Draw& draw) const {
  const std::uint32_t group = routers_.quotient(from);
  const bool inside = group == routers_.quotient(to);
  return inside ? group * routers_.divisor() + draw.below(routers_.divisor()) : draw.below(nodes());
}

void GlobalDragonfly::append_walk(std::uint32_t from, std::uint32_t to, std::uint32_t source, std::uint32_t destination,
                                  Route& out) const {
  if (routing() != RoutingChoice::kUgalSst7 || from == to) {
    return SwitchedFabric::append_walk(from, to, source, destination, out);
  }
  out.choice = out.links.size();
  if (out.without_choices) return;
  Draw draw = draw_for(source, destination, out);
  append_reconsidered(from, to, draw, out);
}

std::uint32_t GlobalDragonfly::router_after(std::uint32_t from, std::uint32_t to, std::size_t cables) const {
  const std::uint32_t routers = routers_.divisor(), rows = shape_.rows;
  const std::uint32_t group = routers_.quotient(from), target = routers_.quotient(to);
  std::uint32_t here = from;
  std::size_t left = cables;
  const auto go = [&](std::uint32_t next) {
    if (left > 0 && next != here) {
      here = next;
      --left;
    }
  };
  const auto go_in_group = [&](std::uint32_t place) {  // first along x, then along y
    const std::uint32_t first = routers_.quotient(here) * routers;
    go(first + rows_.quotient(here - first) * rows + rows_.remainder(place));
    go(first + place);
  };
  const std::uint32_t place = routers_.remainder(to);
  if (group != target) {
    const std::uint32_t ahead = (target < group ? target + shape_.groups : target) - group;
    const std::uint32_t exit = exit_of(routers_.remainder(from), ahead, to);
    go_in_group(exit);
    if (left > 0) go(target * routers + exit);
  }
  if (left > 0) go_in_group(place);
  return here;
}

void GlobalDragonfly::append_reconsidered(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const {
  const std::size_t step = has_limiter() ? 2 : 1;
  const std::size_t first = out.links.size(), here = std::max(out.crossed, first);
  const double latency = out.latency;
  append_minimal(from, to, out);
  const std::size_t end = out.links.size();
  if (out.loads == nullptr || here >= end) return;
  if (here + step < end) out.next_choice = here + step;
  const std::uint32_t router = router_after(from, to, (here - first) / step);
  const std::uint32_t middle = middle_of(router, to, draw);
  if (middle == router) return;

  const double minimal_latency = out.latency;
  out.use_channel(minimal_channels());
  append_minimal(router, middle, out);
  const std::size_t turn = out.links.size();
  out.use_channel(2 * minimal_channels());
  append_minimal(middle, to, out);
  const auto wait = [&](std::size_t link) { return out.loads->load(out.links[link + step - 1]); };
  const std::size_t minimal = end - here, detour = minimal + (out.links.size() - turn);
  if (wait(here) * static_cast<double>(minimal) <= wait(end) * static_cast<double>(detour)) {
    out.erase(end, out.links.size());
    out.latency = minimal_latency;
    return;
  }
  out.next_choice = Route::kNoChoice;
  out.erase(here, end);
  out.latency = latency;
  for (std::size_t link = first; link < out.links.size(); link += step) out.latency += settings().latency;
}

void GlobalDragonfly::append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const {
  const std::uint32_t middle = middle_of(from, to, draw);
  append_minimal(from, middle, out);
  out.use_channel(minimal_channels());
  append_minimal(middle, to, out);
}

LinkSettings GlobalDragonfly::cable_link(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  if (cable < first_row_) return plain_cable();
  if (cable < first_column_) return plain_cable(shape_.row_cables);
  return plain_cable(cable < first_global_ ? shape_.column_cables : shape_.bundled);
}

std::string GlobalDragonfly::cable_link_name(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  const std::uint32_t rows = shape_.rows, columns = shape_.columns;
  if (cable < first_row_) return with_direction(host_cable_name(cable), index);
  std::uint32_t from = 0, to = 0;
  if (cable < first_column_) {
    const Pair pair = pair_at((cable - first_row_) % row_pairs_, rows);
    const std::uint32_t first = (cable - first_row_) / row_pairs_ * rows;
    from = first + pair.low;
    to = first + pair.high;
  } else if (cable < first_global_) {
    const Pair pair = pair_at((cable - first_column_) % column_pairs_, columns);
    const std::uint32_t column = (cable - first_column_) / column_pairs_;
    const std::uint32_t first = column / rows * rows * columns + column % rows;
    from = first + pair.low * rows;
    to = first + pair.high * rows;
  } else {
    const std::uint32_t number = cable - first_global_;
    from = number / shape_.global;
    const std::uint32_t place = routers_.remainder(from);
    const std::uint32_t target = groups_.remainder(routers_.quotient(from) + ahead_of(place, number % shape_.global));
    to = target * routers_.divisor() + place;
    return with_direction(cable_name(from, to) + "_cable_" + std::to_string(number % shape_.global), index);
  }
  return with_direction(cable_name(from, to), index);
}

}  // namespace

std::unique_ptr<Cluster> make_global_dragonfly(ClusterPlan plan, const GlobalDragonflyShape& shape) {
  return std::make_unique<GlobalDragonfly>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings),
                                           shape);
}

}  // namespace pysmpi
