// The choice between flows with rates of their own (network/sharing.hpp) and groups with clocks
// (network/clock_groups.hpp), by counts of work and never by time, so that two runs are equal.
//
// Sharing is asked how many flows it has touched for each flow that came or went. If these are many, groups are tried,
// and their work in the same unit is compared. If it is not less, the next trial waits eight times as long, as it does
// if groups end before they have saved as much work as the change to them has cost.
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

  // Return whether pays() should be asked.
  bool is_due() const { return always_ || events_ >= wait_; }

  // Return whether groups are likely to pay, and begin to count their work if they do. `touched` is the number of flows
  // that Sharing has touched since the start, `links` the number of links, all of which the change visits.
  bool pays(std::uint64_t touched, std::size_t links) {
    const std::uint64_t new_touched = touched - touched_;
    cost_ = static_cast<double>(new_touched) / static_cast<double>(std::max<std::uint64_t>(events_, 1));
    const bool is_worth = always_ || (moving_ >= kFewFlows && cost_ >= kWorth);
    if (is_worth && !always_ && new_touched < links / 4) return false;  // not yet
    restart(touched);
    return is_worth;
  }

  // Begin to count again.
  void restart(std::uint64_t touched) {
    touched_ = touched;
    events_ = came_ = 0;
    most_ = moving_;
    work_ = 0.0;
  }

  // Set the work of the change to groups, which a trial does not count: it is done once, and may be the work of many
  // trials where many flows move.
  void paid(double work) { debt_ = work; }

  // Add the work of a solve of groups, and return whether it has been too much since they began.
  bool is_rejected_at(double work) {
    work_ += work;
    if (always_ || events_ < kTrial) return false;
    // Groups have their work when flows come, Sharing also when they go: flows that have not gone yet count, too.
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
  static constexpr std::uint64_t kWindow = 64, kTrial = 512, kLongest = std::uint64_t{1} << 40;  // flows
  static constexpr std::int64_t kFewFlows = 128;
  static constexpr double kWorth = 12.0;  // touched flows for each flow that comes or goes
  static constexpr double kBetter = 0.8;

  std::int64_t moving_ = 0, most_ = 0;
  std::uint64_t events_ = 0;  // flows that have come or gone since the last choice
  std::uint64_t came_ = 0;    // of these, flows that have come
  std::uint64_t touched_ = 0;
  std::uint64_t wait_ = kWindow;
  double cost_ = 0.0;  // of Sharing, before groups began
  double work_ = 0.0;
  double debt_ = 0.0;  // work of the change to groups that they have not saved yet
  bool always_ = false;
};

}  // namespace pysmpi
