// Slim Fly: 2q² switches, q a power of a prime, in a graph of McKay, Miller and Širáň, any two of them at most two
// steps apart; hosts on each switch (M. Besta, T. Hoefler, "Slim Fly: a cost effective low-diameter network topology",
// SC 2014; the generating sets for all residues of q modulo 4: P. R. Hafner, "Geometric realisation of the graphs of
// McKay-Miller-Širáň", Journal of Combinatorial Theory B 90, 2004).
#pragma once

#include <array>

#include "platform/fabric.hpp"
#include "platform/topologies/galois_field.hpp"

namespace pysmpi {

// A switch is (side, row, column), numbered in that order. In a row of side s, columns are joined whose difference is
// in the side's generating set. Between the sides, (0, x, y) is joined to (1, m, c) where y = m x + c.
class SlimFly final : public SwitchedFabric {
 public:
  SlimFly(std::string name, Point place, std::uint32_t depth, ClusterSettings settings, std::uint32_t order,
          std::uint32_t hosts_per_switch);

 protected:
  std::uint32_t nodes() const override { return 2 * field_.order() * field_.order(); }

  // Of several ways of two steps, the one that stays on the side it begins on as long as possible.
  void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const override;

  std::uint32_t cable_links() const override { return end_ * width(); }
  LinkSettings cable_link(std::uint32_t) const override { return plain_cable(); }
  std::string cable_link_name(std::uint32_t index) const override;

 private:
  struct Switch {
    std::uint32_t side, row, column;
  };
  struct Side {
    std::vector<std::uint32_t> steps;       // generators without their negatives, lowest first
    std::vector<std::uint32_t> step_index;  // by difference: of the step that it is, or whose negative; kNone otherwise
    std::vector<std::uint32_t> halfway;     // by difference: a generator that leaves a generator to go
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
  bool joined(const Switch& from, std::uint32_t column) const {  // in their row
    return sides_[from.side].step_index[field_.subtract(column, from.column)] != kNone;
  }
  void set_generators(Side& side, const std::vector<std::uint32_t>& generators) const;
  std::uint32_t cables_of_step() const;  // in a row
  Cable row_cable(const Switch& from, std::uint32_t column) const;
  void append_in_row(Switch& at, std::uint32_t column, Route& out) const;
  // To the other side, into this row.
  void append_across(Switch& at, std::uint32_t row, Route& out) const;

  GaloisField field_;
  std::array<Side, 2> sides_;
  std::uint32_t first_cross_, end_;
};

}  // namespace pysmpi
