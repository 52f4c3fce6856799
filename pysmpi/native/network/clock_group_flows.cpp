// How flows enter and leave groups of flows that the same full link limits (network/clock_groups.hpp).
#include <algorithm>

#include "network/clock_groups.hpp"

namespace pysmpi {

namespace {
// Work of putting one flow into a group. The unit is the work with which Sharing computes the rate of one flow.
constexpr double kAssignment = 12.0;
}  // namespace

void ClockGroups::assign(FlowId id, LinkId holder, double left) {
  const SharedFlow& flow = graph_.flows[id];
  State& state = states_[id];
  state.group = holder;
  ++counters_.flows_touched;
  work_ += kAssignment;
  if (holder == kAtBound) {
    const double level = bound_level(id);
    for (const Usage& usage : graph_.usages_of(id)) {
      if (!graph_.watched[usage.link]) continue;
      Group& link = groups_[usage.link];
      const double load = graph_.weight(usage) * flow.bound;
      link.bounded += load;
      ++link.flows_at_bound;
      link.highest_bounded = std::max(link.highest_bounded, level);
      if (link.is_near) {
        link.foreign += load;
        mark_if_over(usage.link, link);
      } else {
        link.reserved += load;
        if (link.reserved > graph_.links[usage.link].capacity * (1 + kTie)) mark(usage.link);
      }
    }
    state.end = now_ + left / (flow.bound * state.factor);
    events_.set(id, state.end);
    return;
  }
  Group& group = groups_[holder];
  advance(group);
  state.end = group.clock + left * flow.penalty / state.factor;
  for (std::uint32_t i = flow.first_usage; i < flow.first_usage + flow.usage_count; ++i) {
    const Usage& usage = graph_.usages[i];
    const double share = graph_.weight(usage) / flow.penalty;
    if (usage.link == holder) {
      state.share = share;
      group.usage += share;
      group.lowest_bound = std::min(group.lowest_bound, bound_level(id));
      mark(holder);
    } else if (graph_.watched[usage.link]) {
      join(i, holder, share);
    }
  }
  group.ends.push_back(id);
  sift_end(group, static_cast<std::uint32_t>(group.ends.size() - 1), id);
  date_again(holder);
}

// Take a flow out of its group, and return the number of bytes that it has left.
double ClockGroups::unassign(FlowId id) {
  const SharedFlow& flow = graph_.flows[id];
  State& state = states_[id];
  const LinkId holder = std::exchange(state.group, kNone);
  if (holder == kAtBound) {
    events_.remove(id);
    for (const Usage& usage : graph_.usages_of(id)) {
      if (!graph_.watched[usage.link]) continue;
      Group& link = groups_[usage.link];
      const double load = graph_.weight(usage) * flow.bound;
      link.bounded -= load;
      if (--link.flows_at_bound == 0) link.bounded = 0.0;
      if (link.is_near) {
        link.foreign -= load;
        ++link.changes;
        if (link.is_full || link.foreign < kFar * graph_.links[usage.link].capacity) mark(usage.link);
      } else {
        link.reserved -= load;
      }
    }
    return std::max(0.0, state.end - now_) * flow.bound * state.factor;
  }
  Group& group = groups_[holder];
  advance(group);
  if (state.place != kNone) remove_end(group, id);
  const double left = std::max(0.0, state.end - group.clock) * state.factor / flow.penalty;
  group.usage -= state.share;
  ++group.changes;
  for (std::uint32_t i = flow.first_usage; i < flow.first_usage + flow.usage_count; ++i) {
    if (entry_of_[i] != kNone) quit(i, graph_.weight(i) / flow.penalty);
  }
  if (group.ends.empty()) {
    group.usage = group.clock = 0.0;
    group.lowest_bound = kNever;
  }
  mark(holder);
  date_again(holder);
  return left;
}

void ClockGroups::move(const std::vector<FlowId>& flows, LinkId group) {
  for (const FlowId flow : flows) assign(flow, group, unassign(flow));
}

void ClockGroups::enter(FlowId id, double left, double factor, double now) {
  now_ = std::max(now_, now);
  SharedFlow& flow = graph_.flows[id];
  flow.takes_part = true;
  flow.rate = flow.bound;
  double level = bound_level(id);
  LinkId holder = kAtBound;
  entry_of_.grow(graph_.usages.size(), kNone);
  if (id >= states_.size()) states_.resize(id + 1);
  states_[id] = {.factor = factor, .order = entered_++};
  for (std::uint32_t i = flow.first_usage; i < flow.first_usage + flow.usage_count; ++i) {
    const Usage& usage = graph_.usages[i];
    know(usage.link);
    SharedLink& link = graph_.links[usage.link];
    link.demand += graph_.weight(usage) * flow.bound;
    if (!graph_.watched[usage.link] && link.policy == SharingPolicy::kShared &&
        link.demand > link.capacity * (1 + kTie)) {
      watch(usage.link);
    }
    graph_.cross(id, i);
    if (groups_[usage.link].is_full && groups_[usage.link].level < level) {
      level = groups_[usage.link].level;
      holder = usage.link;
    }
  }
  assign(id, holder, left);
}

double ClockGroups::leave(FlowId id, double now) {
  now_ = std::max(now_, now);
  const double left = unassign(id);
  SharedFlow& flow = graph_.flows[id];
  for (std::uint32_t i = flow.first_usage; i < flow.first_usage + flow.usage_count; ++i) {
    graph_.leave(id, i);
    const Usage& usage = graph_.usages[i];
    SharedLink& link = graph_.links[usage.link];
    link.demand -= graph_.weight(usage) * flow.bound;
    if (link.flows > 0) continue;
    link.demand = 0.0;
    Group& group = groups_[usage.link];
    if (!group.is_full) graph_.watched[usage.link] = group.is_near = false;
  }
  flow.takes_part = false;
  return left;
}

void ClockGroups::begin() {
  // Links that are full in Sharing's last solution are full here from the beginning; take_over() then puts the flows
  // that they limit into their groups.
  groups_.clear();
  groups_.resize(graph_.links.size());
  stamps_.assign(graph_.links.size(), 0);
  entry_of_ = {};
  entry_of_.grow(graph_.usages.size(), kNone);
  for (LinkId id = 0; id < graph_.links.size(); ++id) {
    const SharedLink& link = graph_.links[id];
    if (!(link.saturation < kNever) || link.flows == 0) continue;
    Group& group = groups_[id];
    group.is_full = group.is_near = true;
    group.level = link.saturation;
    mark(id);
  }
}

void ClockGroups::take_over(FlowId id, double left, double factor, double now) {
  now_ = std::max(now_, now);
  if (id >= states_.size()) states_.resize(id + 1);
  states_[id] = {.factor = factor, .order = entered_++};
  double level = graph_.flows[id].level() * (1 + kSameLevel);
  LinkId holder = kAtBound;
  for (const Usage& usage : graph_.usages_of(id)) {
    const Group& group = groups_[usage.link];
    if (!group.is_full || group.level > level) continue;
    level = group.level;
    holder = usage.link;
  }
  assign(id, holder, left);
}

void ClockGroups::take_due(double now, double precision, std::vector<std::pair<double, FlowId>>& due) {
  while (first_ends_.next_time() - now < precision) {
    const LinkId id = first_ends_.next_item();
    Group& link = groups_[id];
    while (!link.ends.empty()) {
      const FlowId flow = link.ends.front();
      const double date = link.clock_date + (states_[flow].end - link.clock) / link.level;
      if (!(date - now < precision)) break;
      remove_end(link, flow);
      due.emplace_back(date, flow);
    }
    first_ends_.remove(id);
    date_again(id);
  }
}

double ClockGroups::rate(FlowId flow) const {
  const LinkId holder = states_[flow].group;
  return holder >= kAtBound ? graph_.flows[flow].bound : groups_[holder].level / graph_.flows[flow].penalty;
}

double ClockGroups::left(FlowId flow, double now) const {
  const State& state = states_[flow];
  if (state.group >= kAtBound) return std::max(0.0, state.end - now) * graph_.flows[flow].bound * state.factor;
  const Group& group = groups_[state.group];
  const double clock = group.clock + group.level * (now - group.clock_date);
  return std::max(0.0, state.end - clock) * state.factor / graph_.flows[flow].penalty;
}

}  // namespace pysmpi
