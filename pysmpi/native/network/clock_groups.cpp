// Groups of flows (network/clock_groups.hpp): which links are full, and how a change of one group's level changes the
// levels of other groups.
#include "network/clock_groups.hpp"

#include <algorithm>
#include <cmath>

namespace pysmpi {

namespace {
// If the level of a group (the rate * penalty that its flows have in common) changes by a smaller fraction than this,
// other groups are not updated.
constexpr double kSmallChange = 1e-13;
// The load of a link that is nearly full (near) is kept up to date. A link counts as nearly full if its load at the
// present levels is above 1 / kNear of its capacity.
constexpr double kNear = 1.02;
// Links are processed in ascending order of their estimated levels. If a link's level turns out to be higher than
// estimated by more than this factor, the link goes back into the queue.
constexpr double kRisen = 1 + 1e-5;
// The estimated level of a link that is not full yet is raised by this factor, so that the link is processed after full
// links of the same level.
constexpr double kLast = 1 + 1e-6;
// The sums of a link are updated at each change, which adds rounding errors. They are computed from zero after this
// number of changes plus one for each flow on the link.
constexpr std::uint32_t kManyChanges = 64;
// Work of changing one entry (the flows of one group on one link). The unit is the work with which Sharing computes the
// rate of one flow.
constexpr double kChange = 1.0;
// Limits on one solve. If they are exceeded, rounding errors make flows change their groups without end.
constexpr int kMostRounds = 1000;
constexpr std::size_t kMostVisits = 100;  // visits of each link, on average
}  // namespace

void ClockGroups::know(LinkId link) {
  if (link < groups_.size()) return;
  groups_.resize(graph_.links.size());
  stamps_.resize(graph_.links.size());
}

// Advance the group's clock to the present time. To be called before the group's level changes, because the level is
// the speed of the clock.
void ClockGroups::advance(Group& group) const {
  if (group.clock_date >= now_) return;
  if (!group.ends.empty() && group.level < kNever) group.clock += group.level * (now_ - group.clock_date);
  group.clock_date = now_;
}

void ClockGroups::date_again(LinkId link) {
  if (std::exchange(groups_[link].is_dated_again, true)) return;
  dated_again_.push_back(link);
}

void ClockGroups::mark(LinkId link) {
  if (std::exchange(groups_[link].is_marked, true)) return;
  marked_.push_back(link);
}

void ClockGroups::mark_if_over(LinkId link, const Group& group) {
  if (group.is_full || group.foreign > graph_.links[link].capacity * (1 + kTie)) mark(link);
}

void ClockGroups::watch(LinkId id) {
  graph_.watched[id] = true;
  Group& link = groups_[id];
  link.is_near = false;
  link.bounded = link.highest_bounded = 0.0;
  link.flows_at_bound = 0;
  for (const Crossing& crossing : graph_.crossings(id)) {
    if (crossing.flow == kNone || states_[crossing.flow].group != kAtBound) continue;
    link.bounded += graph_.weight(crossing.usage) * graph_.flows[crossing.flow].bound;
    ++link.flows_at_bound;
    link.highest_bounded = std::max(link.highest_bounded, bound_level(crossing.flow));
  }
  link.reserved = link.bounded;
  for (const Crossing& crossing : graph_.crossings(id)) {
    if (crossing.flow == kNone || states_[crossing.flow].group >= kAtBound) continue;
    const double weight = graph_.weight(crossing.usage);
    join(crossing.usage, states_[crossing.flow].group, weight / graph_.flows[crossing.flow].penalty);
  }
}

// Return the load that flows cause, at the present levels, on a link that is not full.
double ClockGroups::load_of(const Group& link) const {
  double load = link.bounded;
  for (const std::uint32_t entry : link.entries) load += entries_[entry].usage * groups_[entries_[entry].group].level;
  return load;
}

// Compute the sums of a link from zero and reset its clock, to remove rounding errors. The work grows with the number
// of flows on the link, so this is done only after more changes than the link has flows.
void ClockGroups::sum_again(LinkId id) {
  Group& link = groups_[id];
  if (link.changes < kManyChanges + graph_.links[id].flows) return;
  link.changes = 0;
  link.bounded = 0.0;
  for (const Crossing& crossing : graph_.crossings(id)) {
    if (crossing.flow == kNone || states_[crossing.flow].group != kAtBound) continue;
    link.bounded += graph_.weight(crossing.usage) * graph_.flows[crossing.flow].bound;
  }
  if (link.is_near) link.foreign = load_of(link);
  if (!link.is_full) return;
  advance(link);
  link.usage = 0.0;
  for (const FlowId flow : link.ends) {
    link.usage += states_[flow].share;
    states_[flow].end -= link.clock;
  }
  link.clock = 0.0;
  // Flows whose ends differed only by rounding may have equal ends now, and equal ends have another order.
  std::sort(link.ends.begin(), link.ends.end(), [&](FlowId one, FlowId other) { return ends_before(one, other); });
  for (std::uint32_t place = 0; place < link.ends.size(); ++place) states_[link.ends[place]].place = place;
}

// Set a threshold for each group that crosses the link: as long as no level passes its threshold, the link cannot
// become full, and its load need not be known. Each threshold is the geometric mean of the group's present level and
// the level that would fill the link. If the link is nearly full, its load is kept up to date instead.
void ClockGroups::set_thresholds(LinkId id) {
  Group& link = groups_[id];
  if (link.entries.empty()) {
    link.reserved = link.bounded;
    link.is_near = false;
    return;
  }
  const double load = load_of(link) - link.bounded;
  const double room = std::max(1.0, (graph_.links[id].capacity - link.bounded) / load);
  work_ += kChange * static_cast<double>(link.entries.size());
  if (room < kNear) {
    if (!link.is_near) {
      for (const std::uint32_t entry : link.entries) {
        remove_threshold(entry);
        add_pair(entry);
      }
    }
    link.is_near = true;
    link.foreign = link.bounded + load;
    return;
  }
  if (link.is_near) {
    for (const std::uint32_t entry : link.entries) {
      remove_pair(entry);
      entries_[entry].threshold = kNever;
      add_threshold(entry);
    }
    link.is_near = false;
  }
  link.reserved = link.bounded;
  const double factor = std::sqrt(room);
  for (const std::uint32_t number : link.entries) {
    Entry& entry = entries_[number];
    entry.threshold = groups_[entry.group].level * factor;
    sift_threshold(groups_[entry.group], entry.place_in_group, number);
    link.reserved += entry.usage * entry.threshold;
  }
}

void ClockGroups::fill(LinkId id) {
  Group& link = groups_[id];
  link.foreign = link.bounded;
  link.highest_entry = 0.0;
  for (const std::uint32_t number : link.entries) {
    if (!link.is_near) {
      remove_threshold(number);
      add_pair(number);
    }
    const double level = groups_[entries_[number].group].level;
    link.foreign += entries_[number].usage * level;
    link.highest_entry = std::max(link.highest_entry, level);
  }
  link.is_full = link.is_near = true;
  link.level = link.lowest_bound = kNever;
  link.usage = link.clock = 0.0;
  link.clock_date = now_;
}

void ClockGroups::stop_being_full(LinkId id) {
  Group& link = groups_[id];
  link.is_full = false;
  link.level = kNever;
  if (link.foreign < kFar * graph_.links[id].capacity || link.entries.empty()) set_thresholds(id);
  if (graph_.links[id].flows == 0) graph_.watched[id] = link.is_near = false;
  date_again(id);
}

// Set the level of a group. Mark the links that may become full by the change, and the full links whose own level may
// change.
void ClockGroups::set_level(LinkId id, double level) {
  Group& group = groups_[id];
  const double before = group.level;
  if (level == before) return;
  advance(group);
  group.level = level;
  date_again(id);
  if (before == kNever) return;  // flows of the group are in no entries yet
  work_ += kChange * static_cast<double>(group.pairs.size());
  counters_.links_touched += group.pairs.size();
  for (const std::uint32_t number : group.pairs) {
    const Entry& entry = entries_[number];
    Group& other = groups_[entry.link];
    other.foreign += entry.usage * (level - before);
    other.highest_entry = std::max(other.highest_entry, level);
    ++other.changes;
    mark_if_over(entry.link, other);
  }
  if (level < before) return;
  // Mark the links whose threshold is below the new level. The thresholds are a heap, so the search goes down from its
  // top and stops at each threshold that is not below the level.
  to_visit_.assign(1, 0);
  while (!to_visit_.empty()) {
    const std::uint32_t at = to_visit_.back();
    to_visit_.pop_back();
    if (at >= group.thresholds.size() || entries_[group.thresholds[at]].threshold >= level) continue;
    work_ += kChange;
    mark(entries_[group.thresholds[at]].link);
    to_visit_.push_back(2 * at + 1);
    to_visit_.push_back(2 * at + 2);
  }
}

// Take flows that have a higher level in another group, or at their own bound, into this full link's group, because the
// link limits them more. Updates `level` accordingly. Returns false if no flow has moved.
bool ClockGroups::absorb(LinkId id, double& level) {
  Group& link = groups_[id];
  find_candidates(id, level);
  double usage = link.ends.empty() ? 0.0 : link.usage;
  double foreign = link.foreign;
  std::size_t taken = 0;
  while (taken < candidates_.size() && (usage <= 0.0 || candidates_[taken].level > level * (1 + kTie))) {
    usage += candidates_[taken].usage;
    foreign -= candidates_[taken].usage * candidates_[taken].level;
    level = (graph_.links[id].capacity - foreign) / usage;
    ++taken;
  }
  for (std::size_t i = taken; i < candidates_.size(); ++i) {
    double& highest = candidates_[i].entry == kNone ? link.highest_bounded : link.highest_entry;
    highest = std::max(highest, candidates_[i].level);
  }
  if (taken == 0) return false;
  collect_moving(id, taken);
  if (link.ends.empty()) {
    advance(link);
    link.level = level;
  } else {
    set_level(id, level);
  }
  move(moving_, id);
  return true;
}

// Find the flows that `absorb` may take, the highest level first, and the highest levels of all other flows on the
// link.
void ClockGroups::find_candidates(LinkId id, double level) {
  Group& link = groups_[id];
  double highest_entry = 0.0;
  double highest_bounded = link.highest_bounded;
  candidates_.clear();
  for (const std::uint32_t entry : link.entries) {
    const double there = groups_[entries_[entry].group].level;
    if (there > level * (1 + kTie)) {
      candidates_.push_back({there, entries_[entry].usage, entry, kNone});
    } else {
      highest_entry = std::max(highest_entry, there);
    }
  }
  work_ += kChange * static_cast<double>(link.entries.size());
  if (link.highest_bounded > level * (1 + kTie)) {
    highest_bounded = 0.0;
    work_ += kChange * graph_.links[id].flows / 4;
    for (const Crossing& crossing : graph_.crossings(id)) {
      if (crossing.flow == kNone || states_[crossing.flow].group != kAtBound) continue;
      const double there = bound_level(crossing.flow);
      if (there > level * (1 + kTie)) {
        const double weight = graph_.weight(crossing.usage);
        candidates_.push_back({there, weight / graph_.flows[crossing.flow].penalty, kNone, crossing.flow});
      } else {
        highest_bounded = std::max(highest_bounded, there);
      }
    }
  }
  std::stable_sort(candidates_.begin(), candidates_.end(),
                   [](const Candidate& one, const Candidate& other) { return one.level > other.level; });
  link.highest_entry = highest_entry;
  link.highest_bounded = highest_bounded;
}

// Set `moving_` to the flows of the first `taken` candidates: first the single flows, then the link's flows of the
// groups among the candidates.
void ClockGroups::collect_moving(LinkId id, std::size_t taken) {
  ++stamp_;
  moving_.clear();
  bool from_groups = false;
  for (std::size_t i = 0; i < taken; ++i) {
    if (candidates_[i].entry == kNone) {
      moving_.push_back(candidates_[i].flow);
    } else {
      stamps_[entries_[candidates_[i].entry].group] = stamp_;
      from_groups = true;
    }
  }
  if (!from_groups) return;
  for (const Crossing& crossing : graph_.crossings(id)) {
    if (crossing.flow == kNone) continue;
    const LinkId group = states_[crossing.flow].group;
    if (group < kAtBound && group != id && stamps_[group] == stamp_) moving_.push_back(crossing.flow);
  }
}

// Remove flows from the group whose own bound is below `level`: the bound now limits them, and no longer the link.
// Returns false if no flow has moved.
bool ClockGroups::release_bounded(LinkId id, double level) {
  Group& link = groups_[id];
  if (level <= link.lowest_bound * (1 + kTie)) return false;
  moving_.clear();
  double lowest = kNever;
  for (const FlowId flow : link.ends) {
    const double bound = bound_level(flow);
    if (bound < level) {
      moving_.push_back(flow);
    } else {
      lowest = std::min(lowest, bound);
    }
  }
  link.lowest_bound = lowest;
  work_ += kChange * static_cast<double>(link.ends.size()) / 4;
  if (moving_.empty()) return false;
  std::sort(moving_.begin(), moving_.end(), [&](FlowId a, FlowId b) { return states_[a].order < states_[b].order; });
  move(moving_, kAtBound);
  return true;
}

// Move flows that cross another full link with a lower level to the group of that link. Returns false if no flow has
// moved.
bool ClockGroups::release_to_lower(LinkId id, double level) {
  Group& link = groups_[id];
  work_ += kChange * static_cast<double>(link.pairs.size()) / 4;
  for (const std::uint32_t number : link.pairs) {
    const LinkId lower = entries_[number].link;
    if (!(groups_[lower].level < level * (1 - kTie)) || groups_[lower].ends.empty()) continue;
    moving_.clear();
    for (const Crossing& crossing : graph_.crossings(lower)) {
      if (crossing.flow != kNone && states_[crossing.flow].group == id) moving_.push_back(crossing.flow);
    }
    work_ += kChange * graph_.links[lower].flows / 4;
    move(moving_, lower);
    return true;
  }
  return false;
}

// Determine whether a marked link is full, which flows belong to its group, and the group's level. Returns false if
// this does not succeed because of rounding.
bool ClockGroups::process(LinkId id) {
  Group& link = groups_[id];
  const double capacity = graph_.links[id].capacity;
  ++counters_.links_touched;
  work_ += kChange;
  if (!link.is_full) {
    if (!graph_.watched[id]) return true;
    if (link.is_near && link.foreign <= capacity * (1 + kTie)) return true;
    if (load_of(link) <= capacity * (1 + kTie)) {
      set_thresholds(id);
      return true;
    }
    fill(id);
  }
  sum_again(id);
  for (int round = 0; round < kMostRounds; ++round) {
    if (link.ends.empty() && link.foreign <= capacity * (1 + kTie)) {
      stop_being_full(id);
      return true;
    }
    double level = link.ends.empty() ? -1.0 : (capacity - link.foreign) / link.usage;
    if (std::max(link.highest_entry, link.highest_bounded) > level * (1 + kTie) && absorb(id, level)) continue;
    if (link.ends.empty()) return false;  // no flow causes the load: a sum has lost its precision
    if (release_bounded(id, level) || release_to_lower(id, level)) continue;
    if (link.level == kNever || std::fabs(level - link.level) > kSmallChange * link.level) set_level(id, level);
    return level > 0.0;
  }
  return false;
}

// Put the marked links, whose level may have changed, into the queue of links to process, ordered by their estimated
// levels.
void ClockGroups::place_marked() {
  for (std::size_t i = 0; i < marked_.size(); ++i) {
    const LinkId id = marked_[i];
    Group& link = groups_[id];
    const double capacity = graph_.links[id].capacity;
    if (link.is_full) {
      lowest_.push({link.ends.empty() ? 0.0 : (capacity - link.foreign) / link.usage, id});
      continue;
    }
    link.is_marked = false;
    if (!graph_.watched[id]) continue;
    if (link.is_near && link.foreign <= capacity * (1 + kTie)) {
      if (link.foreign < kFar * capacity) set_thresholds(id);
      continue;
    }
    double highest = link.flows_at_bound > 0 ? link.highest_bounded : 0.0;
    for (const std::uint32_t entry : link.entries) highest = std::max(highest, groups_[entries_[entry].group].level);
    const double load = load_of(link);
    work_ += kChange * static_cast<double>(link.entries.size()) / 4;
    if (load <= capacity * (1 + kTie)) {
      set_thresholds(id);
      continue;
    }
    link.is_marked = true;
    lowest_.push({highest * capacity / load * kLast, id});
  }
  marked_.clear();
}

double ClockGroups::solve(double now) {
  now_ = std::max(now_, now);
  if (!marked_.empty()) ++counters_.solves;
  std::size_t visits = 0;
  for (place_marked(); !lowest_.empty(); place_marked()) {
    const auto [estimate, id] = lowest_.top();
    lowest_.pop();
    Group& link = groups_[id];
    if (!link.is_marked) continue;
    if (link.is_full && !link.ends.empty()) {
      const double level = (graph_.links[id].capacity - link.foreign) / link.usage;
      if (level > estimate * kRisen && !lowest_.empty() && lowest_.top().first < level) {
        lowest_.push({level, id});
        continue;
      }
    }
    if (++visits > kMostVisits * graph_.links.size() || !process(id)) return -1.0;
    link.is_marked = false;
  }
  for (const LinkId id : dated_again_) {
    Group& link = groups_[id];
    link.is_dated_again = false;
    if (!link.is_full || link.ends.empty()) {
      first_ends_.remove(id);
    } else {
      first_ends_.set(id, link.clock_date + (states_[link.ends.front()].end - link.clock) / link.level);
    }
  }
  dated_again_.clear();
  return first_ends_.next_time();
}

}  // namespace pysmpi
