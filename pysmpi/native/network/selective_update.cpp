#include "network/selective_update.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
// A search that meets more usages than this for each one that changed has come into a part of the network so large that
// everything in it is connected: nothing is overlooked there.
constexpr std::size_t kSearchPerChange = 16;
constexpr std::size_t kSearchAtLeast = 2048;
constexpr std::uint32_t kAllEntries = kNone;
}  // namespace

void SelectiveUpdate::sift(Incidence& graph, const std::vector<FlowId>& entered, std::vector<LinkId>& suspects) {
  if (!suspects.empty() || !overlooked_.empty()) {
    const bool all = (overlooked_.empty() && changed_.empty() && surely_marked(graph, entered, suspects)) ||
                     !mark_all(graph, entered);
    std::vector<LinkId>& candidates = overlooked_;
    for (const LinkId link : overlooked_) graph.links[link].overlooked = false;
    candidates.insert(candidates.end(), suspects.begin(), suspects.end());
    suspects.clear();
    std::erase_if(candidates, [&](LinkId link) {
      if (!all && graph.links[link].marked != round_) return graph.links[link].flows == 0;
      suspects.push_back(link);
      return true;
    });
    std::sort(overlooked_.begin(), overlooked_.end());
    overlooked_.erase(std::unique(overlooked_.begin(), overlooked_.end()), overlooked_.end());
    for (const LinkId link : overlooked_) graph.links[link].overlooked = true;
  }
  started_.clear();
  left_.clear();
  changed_.clear();
}

void SelectiveUpdate::mark(Incidence& graph, LinkId link) { graph.links[link].marked = round_; }

// A quick look that needs no search: true when every suspect is a link of a change that certainly marks all its links.
bool SelectiveUpdate::surely_marked(Incidence& graph, const std::vector<FlowId>& entered,
                                    const std::vector<LinkId>& suspects) {
  ++round_;
  for (const FlowId flow : entered) {
    const auto usages = graph.usages_of(flow);
    const SharedLink& first = graph.links[usages.front().link];
    const bool alone = graph.flows[flow].entered_alone && first.marked != round_;
    if (alone || flow == entered.front() || graph.flows[flow].entered_at_once) {
      for (const Usage& usage : usages) mark(graph, usage.link);
    }
  }
  for (const LinkId link : left_) mark(graph, link);
  for (const FlowId flow : started_) {
    for (const Usage& usage : graph.usages_of(flow)) mark(graph, usage.link);
  }
  return std::all_of(suspects.begin(), suspects.end(), [&](LinkId link) { return graph.links[link].marked == round_; });
}

// Marks exactly what SimGrid marks. False when the search was given up.
bool SelectiveUpdate::mark_all(Incidence& graph, const std::vector<FlowId>& entered) {
  ++round_;
  budget_ = kSearchAtLeast + kSearchPerChange * (left_.size() + changed_.size());
  for (const FlowId flow : entered) budget_ += kSearchPerChange * graph.flows[flow].usage_count;
  for (const FlowId flow : started_) budget_ += kSearchPerChange * graph.flows[flow].usage_count;

  std::uint32_t entries = 0;
  for (const FlowId flow : entered) {
    graph.flows[flow].entry = entries++;
  }
  entries = 0;
  for (const LinkId link : changed_) {
    if (!spread(graph, link, entries)) return false;
  }
  for (const FlowId flow : entered) {
    ++entries;
    if (!graph.flows[flow].entered_at_once && !spread(graph, graph.usages_of(flow).front().link, entries)) return false;
  }
  for (const LinkId link : left_) {
    if (!spread(graph, link, kAllEntries)) return false;
  }
  for (const FlowId flow : started_) {
    for (const Usage& usage : graph.usages_of(flow)) {
      if (!spread(graph, usage.link, kAllEntries)) return false;
    }
  }
  return true;
}

// Marks the link and what is connected to it through flows that took part before, or were among the first `entries` to
// enter. False when the search is given up.
bool SelectiveUpdate::spread(Incidence& graph, LinkId start, std::uint32_t entries) {
  if (graph.links[start].marked == round_) return true;
  mark(graph, start);
  frontier_.assign(1, start);
  while (!frontier_.empty()) {
    const LinkId link = frontier_.back();
    frontier_.pop_back();
    for (std::uint32_t i = graph.links[link].newest; i != kNone; i = graph.usages[i].older) {
      const FlowId id = graph.usages[i].flow;
      SharedFlow& flow = graph.flows[id];
      if (flow.visited == round_ || (flow.fresh && flow.entry >= entries)) continue;
      flow.visited = round_;
      if (budget_ < flow.usage_count) return false;
      budget_ -= flow.usage_count;
      for (const Usage& usage : graph.usages_of(id)) {
        if (graph.links[usage.link].marked == round_) continue;
        mark(graph, usage.link);
        frontier_.push_back(usage.link);
      }
    }
  }
  return true;
}

}  // namespace pysmpi
