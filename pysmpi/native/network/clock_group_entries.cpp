// Data structures of flow groups (network/clock_groups.hpp): entries, which sum up the flows of one group on another
// group's link, and the heaps of a group.
#include <algorithm>
#include <cmath>

#include "network/clock_groups.hpp"

namespace pysmpi {

std::uint32_t ClockGroups::find_entry(LinkId link, LinkId group) const {
  const std::vector<std::uint32_t>& entries = groups_[link].entries;
  if (entries.size() > kFewEntries) return found_.find(link, group);
  for (const std::uint32_t entry : entries) {
    if (entries_[entry].group == group) return entry;
  }
  return kNone;
}

// Record that a flow, which the full link `holder` limits, crosses another link: `usage` is this crossing, and `share`
// is the flow's weight / penalty there. On each link, all flows of one group are summed up in one entry.
void ClockGroups::join(std::uint32_t usage, LinkId holder, double share) {
  const LinkId id = graph_.usages[usage].link;
  Group& link = groups_[id];
  const double level = groups_[holder].level;
  const double capacity = graph_.links[id].capacity;
  std::uint32_t number = find_entry(id, holder);
  if (number == kNone) {
    if (free_entries_.empty()) {
      number = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      number = free_entries_.back();
      free_entries_.pop_back();
    }
    entries_[number] = {.link = id,
                        .group = holder,
                        .place_in_link = static_cast<std::uint32_t>(link.entries.size()),
                        .place_in_group = 0};
    link.entries.push_back(number);
    if (link.entries.size() == kFewEntries + 1) {
      for (const std::uint32_t one : link.entries) found_.add(id, entries_[one].group, one);
    } else if (link.entries.size() > kFewEntries + 1) {
      found_.add(id, holder, number);
    }
    if (link.is_near) {
      add_pair(number);
    } else {
      const double available = (capacity - link.reserved) / share;
      entries_[number].threshold = available <= level ? level : std::sqrt(level * available);
      add_threshold(number);
    }
  }
  Entry& entry = entries_[number];
  ++entry.count;
  entry.usage += share;
  entry_of_[usage] = number;
  if (link.is_near) {
    link.foreign += share * level;
    ++link.changes;
    link.highest_entry = std::max(link.highest_entry, level);
    mark_if_over(id, link);
  } else {
    link.reserved += share * entry.threshold;
    if (link.reserved > capacity * (1 + kTie)) mark(id);
  }
}

void ClockGroups::quit(std::uint32_t usage, double share) {
  const std::uint32_t number = std::exchange(entry_of_[usage], kNone);
  Entry& entry = entries_[number];
  const LinkId id = entry.link;
  Group& link = groups_[id];
  if (link.is_near) {
    link.foreign -= share * groups_[entry.group].level;
    ++link.changes;
    if (link.is_full || link.foreign < kFar * graph_.links[id].capacity) mark(id);
  } else {
    link.reserved -= share * entry.threshold;
  }
  entry.usage -= share;
  if (--entry.count > 0) return;
  if (link.is_near) {
    remove_pair(number);
  } else {
    remove_threshold(number);
  }
  if (link.entries.size() == kFewEntries + 1) {
    for (const std::uint32_t one : link.entries) found_.remove(id, entries_[one].group);
  } else if (link.entries.size() > kFewEntries + 1) {
    found_.remove(id, entry.group);
  }
  const std::uint32_t last = link.entries.back();
  link.entries[entry.place_in_link] = last;
  entries_[last].place_in_link = entry.place_in_link;
  link.entries.pop_back();
  free_entries_.push_back(number);
}

void ClockGroups::add_pair(std::uint32_t number) {
  std::vector<std::uint32_t>& pairs = groups_[entries_[number].group].pairs;
  entries_[number].place_in_group = static_cast<std::uint32_t>(pairs.size());
  pairs.push_back(number);
}

void ClockGroups::remove_pair(std::uint32_t number) {
  std::vector<std::uint32_t>& pairs = groups_[entries_[number].group].pairs;
  const std::uint32_t last = pairs.back();
  pairs[entries_[number].place_in_group] = last;
  entries_[last].place_in_group = entries_[number].place_in_group;
  pairs.pop_back();
}

void ClockGroups::place_threshold(Group& group, std::uint32_t at, std::uint32_t entry) {
  group.thresholds[at] = entry;
  entries_[entry].place_in_group = at;
}

void ClockGroups::sift_threshold(Group& group, std::uint32_t at, std::uint32_t entry) {
  const double threshold = entries_[entry].threshold;
  while (at > 0 && threshold < entries_[group.thresholds[(at - 1) / 2]].threshold) {
    place_threshold(group, at, group.thresholds[(at - 1) / 2]);
    at = (at - 1) / 2;
  }
  const auto size = static_cast<std::uint32_t>(group.thresholds.size());
  for (std::uint32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size &&
        entries_[group.thresholds[child + 1]].threshold < entries_[group.thresholds[child]].threshold)
      ++child;
    if (threshold <= entries_[group.thresholds[child]].threshold) break;
    place_threshold(group, at, group.thresholds[child]);
    at = child;
  }
  place_threshold(group, at, entry);
}

void ClockGroups::add_threshold(std::uint32_t number) {
  Group& group = groups_[entries_[number].group];
  group.thresholds.push_back(number);
  sift_threshold(group, static_cast<std::uint32_t>(group.thresholds.size() - 1), number);
}

void ClockGroups::remove_threshold(std::uint32_t number) {
  Group& group = groups_[entries_[number].group];
  const std::uint32_t last = group.thresholds.back();
  group.thresholds.pop_back();
  if (last != number) sift_threshold(group, entries_[number].place_in_group, last);
}

// The functions below order the flows of a group by their ends. Of flows that end together, the one that entered last
// comes first, as in Sharing.

bool ClockGroups::ends_before(FlowId one, FlowId other) const {
  const State &a = states_[one], &b = states_[other];
  return a.end < b.end || (a.end == b.end && a.order > b.order);
}

void ClockGroups::sift_end(Group& group, std::uint32_t at, FlowId flow) {
  const auto place = [&](FlowId one) {
    group.ends[at] = one;
    states_[one].place = at;
  };
  for (; at > 0 && ends_before(flow, group.ends[(at - 1) / 2]); at = (at - 1) / 2) place(group.ends[(at - 1) / 2]);
  const auto size = static_cast<std::uint32_t>(group.ends.size());
  for (std::uint32_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
    if (child + 1 < size && ends_before(group.ends[child + 1], group.ends[child])) ++child;
    if (!ends_before(group.ends[child], flow)) break;
    place(group.ends[child]);
    at = child;
  }
  place(flow);
}

void ClockGroups::remove_end(Group& group, FlowId flow) {
  const std::uint32_t at = std::exchange(states_[flow].place, kNone);
  const FlowId last = group.ends.back();
  group.ends.pop_back();
  if (last != flow) sift_end(group, at, last);
}

}  // namespace pysmpi
