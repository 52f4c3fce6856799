#include "network/selective_update.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
constexpr std::size_t kLongestSearch = 8192;  // usages
}  // namespace

void SelectiveUpdate::add(Incidence& graph, LinkId link) {
  graph.links[link].marked = round_;
  marked_.push_back(link);
  places_.push_back({link, graph.links[link].newest, 0});
}

// In the order of System::update_modified_cnst_set_rec, which calls itself for each link that it comes to.
void SelectiveUpdate::mark(Incidence& graph, LinkId start) {
  if (given_up_ || is_marked(graph, start)) return;
  add(graph, start);
  while (!places_.empty()) {
    Place& place = places_.back();
    if (place.usage == kNone) {
      places_.pop_back();
      continue;
    }
    SharedFlow& flow = graph.flows[graph.usages[place.usage].flow];
    if (flow.visited == round_ || place.next == flow.usage_count) {
      flow.visited = round_;
      place.usage = graph.usages[place.usage].older;
      place.next = 0;
      continue;
    }
    if (++met_ > kLongestSearch) {
      given_up_ = true;
      places_.clear();
      return;
    }
    const LinkId link = graph.usages[flow.first_usage + place.next++].link;
    if (!is_marked(graph, link)) add(graph, link);
  }
}

void SelectiveUpdate::sift(Incidence& graph, std::vector<LinkId>& suspects) {
  if (suspects.empty() && overlooked_.empty()) return;
  std::vector<LinkId>& candidates = overlooked_;
  for (const LinkId link : overlooked_) graph.links[link].overlooked = false;
  candidates.insert(candidates.end(), suspects.begin(), suspects.end());
  suspects.clear();
  std::erase_if(candidates, [&](LinkId link) {
    if (!given_up_ && !is_marked(graph, link)) return graph.links[link].flows == 0;
    suspects.push_back(link);
    return true;
  });
  std::sort(overlooked_.begin(), overlooked_.end());
  overlooked_.erase(std::unique(overlooked_.begin(), overlooked_.end()), overlooked_.end());
  for (const LinkId link : overlooked_) graph.links[link].overlooked = true;
}

void SelectiveUpdate::clear() {
  ++round_;
  marked_.clear();
  met_ = 0;
  given_up_ = false;
}

}  // namespace pysmpi
