// Slim Fly (M. Besta, T. Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014): 2q² switches
// with hosts on each, where q is a power of a prime. The switches form a graph of McKay, Miller and Širáň, in which any
// two switches are at most two steps apart (generating sets for all residues of q modulo 4: P. R. Hafner, "Geometric
// realisation of the graphs of McKay-Miller-Širáň", Journal of Combinatorial Theory B 90, 2004).
#include <algorithm>
#include <array>
#include <bit>

#include "platform/fabric.hpp"
#include "platform/make_cluster.hpp"
#include "platform/topologies/galois_field.hpp"

namespace pysmpi {
namespace {

// A switch is (side, row, column), numbered in that order. Two columns of a row are joined if their difference is in
// the generating set of their side. Switches (0, x, y) and (1, m, c) of different sides are joined if y = m x + c.
class SlimFly final : public SwitchedFabric {
 public:
  SlimFly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, std::uint32_t order,
          std::uint32_t hosts_per_switch);

 protected:
  std::uint32_t nodes() const override { return 2 * field_.order() * field_.order(); }

  // Appends the shortest walk. If several walks have two cables, the walk that changes sides last is taken.
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;
  std::uint32_t minimal_channels() const override { return 2; }  // one for each cable of a walk

  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  struct Switch {
    std::uint32_t side, row, column;
  };
  struct Side {
    std::vector<std::uint32_t>
        steps;  // differences of columns that cables of a row join; of d and -d only the lower, lowest first
    // Indexed by the difference d of two columns: the index in `steps` of d or -d, or kNone if no cable joins such
    // columns.
    std::vector<std::uint32_t> step_index;
    // Indexed by the difference d of two columns: the lowest generator g for which d - g is a generator too, so that
    // two cables lead from one column to the other.
    std::vector<std::uint32_t> halfway;
    std::uint32_t first_cable;
  };
  struct Cable {
    std::uint32_t number;
    bool upwards;
  };

  Switch switch_at(std::uint32_t node) const;
  std::uint32_t node_of(const Switch& place) const {
    return (place.side * field_.order() + place.row) * field_.order() + place.column;
  }
  bool joined(const Switch& from, std::uint32_t column) const {  // true if a cable in their row joins both columns
    return sides_[from.side].step_index[field_.subtract(column, from.column)] != kNone;
  }
  void set_generators(Side& side, const std::vector<std::uint32_t>& generators) const;
  std::uint32_t cables_of_step() const;  // number of such cables in a row
  Cable row_cable(const Switch& from, std::uint32_t column) const;
  void append_in_row(Switch& at, std::uint32_t column, Route& out) const;
  // Appends the cable to the given row of the other side, and sets `at` to the switch there.
  void append_across(Switch& at, std::uint32_t row, Route& out) const;

  GaloisField field_;
  std::array<Side, 2> sides_;
  std::uint32_t first_cross_, end_;
};

SlimFly::SlimFly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, std::uint32_t order,
                 std::uint32_t hosts_per_switch)
    : SwitchedFabric(std::move(name), place, depth, std::move(settings), hosts_per_switch), field_(order) {
  // One side has even powers of the primitive root, the other side odd powers. A set of generators must contain the
  // negative of each element. If q = 4w - 1, then -1 is an odd power, so a power and its negative have different
  // parity: half of each set then consists of negatives, which have the other parity.
  std::array<std::vector<std::uint32_t>, 2> generators;
  const std::uint32_t w = (order + 1) / 4;
  for (std::uint32_t exponent = 0; exponent < 2; ++exponent) {
    const std::uint32_t count = order % 4 == 3 ? w : order / 2;
    for (std::uint32_t i = 0; i < count; ++i) {
      generators[exponent].push_back(field_.power(exponent + 2 * i));
      if (order % 4 == 3) generators[exponent].push_back(field_.power(exponent + 2 * w - 1 + 2 * i));
    }
  }
  std::uint32_t cable = host_count();
  for (std::uint32_t side = 0; side < 2; ++side) {
    set_generators(sides_[side], generators[side]);
    sides_[side].first_cable = cable;
    cable += order * cables_of_step() * static_cast<std::uint32_t>(sides_[side].steps.size());
  }
  first_cross_ = cable;
  end_ = first_cross_ + order * order * order;
}

void SlimFly::set_generators(Side& side, const std::vector<std::uint32_t>& generators) const {
  side.step_index.assign(field_.order(), kNone);
  side.halfway.assign(field_.order(), kNone);
  for (const std::uint32_t generator : generators) {
    const std::uint32_t negative = field_.subtract(0, generator);
    if (generator <= negative) side.steps.push_back(generator);
  }
  std::sort(side.steps.begin(), side.steps.end());
  for (std::uint32_t index = 0; index < side.steps.size(); ++index) {
    side.step_index[side.steps[index]] = side.step_index[field_.subtract(0, side.steps[index])] = index;
  }
  for (const std::uint32_t first : generators) {
    for (const std::uint32_t second : generators) {
      std::uint32_t& halfway = side.halfway[field_.add(first, second)];
      halfway = std::min(halfway, first);
    }
  }
}

SlimFly::Switch SlimFly::switch_at(std::uint32_t node) const {
  const std::uint32_t order = field_.order();
  return {node / (order * order), node / order % order, node % order};
}

// Cables for the column differences d and -d join the same columns. If q is even, d equals -d, so both columns of a
// cable have the same difference and the number of cables is only half the number of columns.
std::uint32_t SlimFly::cables_of_step() const { return field_.order() % 2 == 0 ? field_.order() / 2 : field_.order(); }

SlimFly::Cable SlimFly::row_cable(const Switch& from, std::uint32_t column) const {
  const Side& side = sides_[from.side];
  const std::uint32_t index = side.step_index[field_.subtract(column, from.column)];
  const std::uint32_t step = side.steps[index];
  const auto first =
      side.first_cable + (from.row * static_cast<std::uint32_t>(side.steps.size()) + index) * cables_of_step();
  if (field_.order() % 2 == 0) {
    // Two joined columns differ by `step`, so exactly one of their numbers has the highest bit of `step`. The cable's
    // number is the other column's number with the position of that bit removed.
    const std::uint32_t bit = std::bit_floor(step);
    const bool upwards = (from.column & bit) == 0;
    const std::uint32_t lower = upwards ? from.column : column;
    return {first + ((lower & (bit - 1)) | (lower >> 1 & ~(bit - 1))), upwards};
  }
  const bool upwards = field_.add(from.column, step) == column;
  return {first + (upwards ? from.column : column), upwards};
}

void SlimFly::append_in_row(Switch& at, std::uint32_t column, Route& out) const {
  const Cable cable = row_cable(at, column);
  append_step(node_of(at), cable.upwards ? up(cable.number) : down(cable.number), out);
  at.column = column;
}

void SlimFly::append_across(Switch& at, std::uint32_t row, Route& out) const {
  const std::uint32_t order = field_.order();
  if (at.side == 0) {
    const Switch next{1, row, field_.subtract(at.column, field_.multiply(row, at.row))};
    append_step(node_of(at), up(first_cross_ + (at.row * order + next.row) * order + next.column), out);
    at = next;
  } else {
    const Switch next{0, row, field_.add(field_.multiply(at.row, row), at.column)};
    append_step(node_of(at), down(first_cross_ + (next.row * order + at.row) * order + at.column), out);
    at = next;
  }
}

void SlimFly::append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const {
  if (from == to) return;
  Switch at = switch_at(from);
  const Switch target = switch_at(to);
  if (at.side == target.side) {
    if (at.row == target.row) {
      if (!joined(at, target.column)) {
        const std::uint32_t difference = field_.subtract(target.column, at.column);
        append_in_row(at, field_.add(at.column, sides_[at.side].halfway[difference]), out);
        out.use_channel(out.channel() + 1);
      }
      append_in_row(at, target.column, out);
      return;
    }
    // The walk leads over the only row of the other side that has a common neighbour of both switches.
    const std::uint32_t rows = field_.subtract(at.row, target.row);
    const std::uint32_t columns =
        at.side == 0 ? field_.subtract(at.column, target.column) : field_.subtract(target.column, at.column);
    append_across(at, field_.divide(columns, rows), out);
    out.use_channel(out.channel() + 1);
    append_across(at, target.row, out);
    return;
  }
  // From this column, a single cable leads to the target's row and column on the other side.
  const std::uint32_t product = field_.multiply(at.row, target.row);
  const std::uint32_t column =
      at.side == 0 ? field_.add(product, target.column) : field_.subtract(target.column, product);
  if (at.column != column && joined(at, column)) {
    append_in_row(at, column, out);
    out.use_channel(out.channel() + 1);
  }
  append_across(at, target.row, out);
  if (at.column == target.column) return;
  out.use_channel(out.channel() + 1);
  append_in_row(at, target.column, out);
}

std::string SlimFly::cable_link_name(std::uint32_t index) const {
  const std::uint32_t cable = index / width();
  if (cable < host_count()) return with_direction(host_cable_name(cable), index);
  const std::uint32_t order = field_.order();
  if (cable >= first_cross_) {
    const std::uint32_t place = cable - first_cross_;
    const Switch upper{1, place / order % order, place % order};
    const std::uint32_t row = place / order / order;
    const Switch lower{0, row, field_.add(field_.multiply(upper.row, row), upper.column)};
    return with_direction(cable_name(node_of(lower), node_of(upper)), index);
  }
  const std::uint32_t number = cable < sides_[1].first_cable ? 0 : 1;
  const Side& side = sides_[number];
  const std::uint32_t place = cable - side.first_cable;
  const auto steps = static_cast<std::uint32_t>(side.steps.size());
  const std::uint32_t step = side.steps[place / cables_of_step() % steps];
  std::uint32_t column = place % cables_of_step();
  if (order % 2 == 0) {
    const std::uint32_t low = std::bit_floor(step) - 1;
    column = (column & low) | (column & ~low) << 1;
  }
  const Switch from{number, place / cables_of_step() / steps, column};
  return with_direction(cable_name(node_of(from), node_of({number, from.row, field_.add(column, step)})), index);
}

// Makes the cluster from `plan.parameters`: the order of the field, and the number of hosts on a switch.
std::unique_ptr<Cluster> make_slim_fly(ClusterPlan plan) {
  return std::make_unique<SlimFly>(std::move(plan.name), plan.place, plan.depth, std::move(plan.settings),
                                   plan.parameters[0], plan.parameters[1]);
}

const TopologyRegistration slim_fly_registration("SLIM_FLY", make_slim_fly);

}  // namespace
}  // namespace pysmpi
