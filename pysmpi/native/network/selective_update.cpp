#include "network/selective_update.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
constexpr std::size_t kLongestSearch = 8192;  // usages
}  // namespace

void SelectiveUpdate::give_up() {
  given_up_ = true;
  places_.clear();
}

void SelectiveUpdate::add(Incidence& graph, LinkId link) {
  if (graph.links[link].reach > kLongestSearch) {  // it would be given up on the way through this link's flows
    give_up();
    return;
  }
  graph.links[link].marked = round_;
  marked_.push_back(link);
  places_.push_back({link, static_cast<std::uint32_t>(graph.crossings(link).size()), 0});
}

// In the order of System::update_modified_cnst_set_rec, which calls itself for each link that it comes to.
void SelectiveUpdate::mark(Incidence& graph, LinkId start) {
  if (given_up_ || is_marked(graph, start)) return;
  add(graph, start);
  while (!places_.empty()) {
    const Place place = places_.back();
    places_.pop_back();
    go_on(graph, place);
  }
}

// Through the flows of a link, up to the first of their links that is not marked yet: from there the search goes on
// first.
void SelectiveUpdate::go_on(Incidence& graph, Place place) {
  const Usage* const usages = graph.usages.data();
  const std::span<const Crossing> crossings = graph.crossings(place.link);
  for (; place.left > 0; --place.left, place.next = 0) {
    const FlowId id = crossings[place.left - 1].flow;
    if (id == kNone || graph.flows[id].visited == round_) continue;
    SharedFlow& flow = graph.flows[id];
    const Usage* const end = usages + flow.first_usage + flow.usage_count;
    const Usage* const from = usages + flow.first_usage + place.next;
    const Usage* one = from;
    while (one != end && is_marked(graph, one->link)) ++one;
    const bool all = one == end;
    met_ += static_cast<std::size_t>(one - from) + (all ? 0 : 1);
    if (met_ > kLongestSearch) return give_up();
    if (!all) {
      place.next = static_cast<std::uint32_t>(one - (usages + flow.first_usage)) + 1;
      places_.push_back(place);
      return add(graph, one->link);
    }
    flow.visited = round_;
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
