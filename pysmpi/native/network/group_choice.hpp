// Chooses the solver: rates of single flows (network/sharing.hpp), or groups of flows that the same full link limits
// (network/clock_groups.hpp). The choice depends on counts of work and never on measured time, so that two runs are
// equal.
//
// If Sharing has computed many rates again for each flow that came or went, groups are tried, and their work is
// compared in the same unit. If their work is not less, the network returns to Sharing, and the number of flows that
// must come or go before the next trial is multiplied by eight. The same happens if rounding prevents a solution. This
// number is reset once groups have saved as much work as the change to them has cost.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pysmpi {

class GroupChoice {
 public:
  // Count a flow that comes (1) or goes (-1).
  void count(int change) {
    moving_ += change;
    most_ = std::max(most_, moving_);
    ++events_;
    if (change > 0) ++came_;
  }

  void always() { always_ = true; }

  // Return whether enough flows have come or gone since the last choice to call pays() again.
  bool is_due() const { return always_ || events_ >= wait_; }

  // Return whether groups are likely to need less work than Sharing. If so, begin to count their work. `touched` is the
  // number of rates that Sharing has computed since the start. `links` is the number of links: changing to groups takes
  // work for each of them and for each moving flow, so Sharing must have done as much first.
  bool pays(std::uint64_t touched, std::size_t links) {
    const std::uint64_t new_touched = touched - touched_;
    cost_ = static_cast<double>(new_touched) / static_cast<double>(std::max<std::uint64_t>(events_, 1));
    const bool is_worth = always_ || (moving_ >= kFewFlows && cost_ >= kWorth);
    const std::uint64_t change = std::max<std::uint64_t>(links / 4, std::max<std::int64_t>(moving_, 0));
    if (is_worth && !always_ && new_touched < change) return false;  // wait until Sharing has done more work
    restart(touched);
    return is_worth;
  }

  // Begin a new count of flows and of work. `touched` is the number of rates that Sharing has computed since the start.
  void restart(std::uint64_t touched) {
    touched_ = touched;
    events_ = came_ = 0;
    most_ = moving_;
    work_ = 0.0;
  }

  // Record the work of putting all flows into groups at the change from Sharing. It is not compared in the trials,
  // because it is done only once and may exceed the work of many trials. Instead, groups count as successful only after
  // they have saved this amount.
  void paid(double work) { debt_ = work; }

  // Add the work of one call of ClockGroups::solve. Returns true at the end of a trial in which groups needed more work
  // than Sharing would have needed.
  bool is_rejected_at(double work) {
    work_ += work;
    if (always_ || events_ < kTrial) return false;
    // Groups need work only when a flow comes, Sharing both when it comes and when it goes. The costs are compared per
    // event, which is a flow that comes or goes. Therefore a flow that has come but not gone yet counts as two events
    // for groups.
    const double cost = work_ / static_cast<double>(std::max(events_, 2 * came_));
    const double other_cost = std::min(cost_, static_cast<double>(most_));
    const bool is_better = cost < kBetter * other_cost;
    debt_ -= (other_cost - cost) * static_cast<double>(events_);
    restart(touched_);
    if (is_better) {
      if (debt_ <= 0.0) wait_ = kWindow;
    } else {
      reject();
    }
    return !is_better;
  }
  void reject() { wait_ = std::min(8 * wait_, kLongest); }

 private:
  // Numbers of flows that come or go: between choices at first, in a trial, and between choices at most.
  static constexpr std::uint64_t kWindow = 64, kTrial = 512, kLongest = std::uint64_t{1} << 40;
  static constexpr std::int64_t kFewFlows = 128;
  static constexpr double kWorth = 12.0;  // computed rates for each flow that comes or goes
  static constexpr double kBetter = 0.8;

  std::int64_t moving_ = 0, most_ = 0;
  std::uint64_t events_ = 0;  // flows that have come or gone since the last choice
  std::uint64_t came_ = 0;    // flows among these events that have come
  std::uint64_t touched_ = 0;
  std::uint64_t wait_ = kWindow;
  double cost_ = 0.0;  // rates that Sharing computed for each flow that came or went, before groups began
  double work_ = 0.0;
  double debt_ = 0.0;  // work of the change to groups that they have not saved yet
  bool always_ = false;
};

}  // namespace pysmpi
