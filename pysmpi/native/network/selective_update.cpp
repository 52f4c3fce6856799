#include "network/selective_update.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
constexpr std::size_t kLongestSearch = 8192;  // usages
}  // namespace

void SelectiveUpdate::add_flow(const Incidence& graph, FlowId id) {
  if (id >= ways_.size()) ways_.resize(id + 1);
  const SharedFlow& flow = graph.flows[id];
  ways_[id] = {.first = flow.first_usage, .end = flow.first_usage + flow.usage_count};
}

// False when the search is given up: it would be on the way through this link's flows.
bool SelectiveUpdate::add(const Incidence& graph, LinkId link) {
  if (graph.links[link].reach > kLongestSearch) return false;
  marks_[link] = round_;
  marked_.push_back(link);
  return true;
}

// The flow's first link that is not marked yet; kNone when all are.
inline LinkId SelectiveUpdate::next_link(const Usage* usages, Way& way) {
  if (way.round != round_) {
    way.round = round_;
    way.next = way.first;
  }
  const std::uint32_t from = way.next;
  const std::uint32_t end = way.end;
  std::uint32_t next = from;
  while (next != end && is_marked(usages[next].link)) ++next;
  met_ += next - from;
  way.next = next;
  return next == end ? kNone : usages[next].link;
}

// In the order of System::update_modified_cnst_set_rec, which calls itself for each link that it comes to: through the
// flows of a link, the latest first, up to a link of theirs that is not marked yet, and from there first.
void SelectiveUpdate::mark(const Incidence& graph, LinkId start) {
  if (given_up_ || is_marked(start)) return;
  const Usage* const usages = graph.usages.data();
  given_up_ = !add(graph, start);
  const Crossing* first = graph.crossings(start).data();
  std::size_t left = graph.crossings(start).size();
  while (!given_up_) {
    if (left == 0) {
      if (places_.empty()) return;
      first = places_.back().first;
      left = places_.back().left;
      places_.pop_back();
      continue;
    }
    const FlowId flow = first[left - 1].flow;
    const LinkId link = flow == kNone ? kNone : next_link(usages, ways_[flow]);
    if (link == kNone) {
      --left;
      continue;
    }
    places_.push_back({first, left});
    given_up_ = met_ > kLongestSearch || !add(graph, link);
    first = graph.crossings(link).data();
    left = graph.crossings(link).size();
  }
  places_.clear();
}

void SelectiveUpdate::sift(Incidence& graph, std::vector<LinkId>& suspects) {
  if (suspects.empty() && overlooked_.empty()) return;
  std::vector<LinkId>& candidates = overlooked_;
  for (const LinkId link : overlooked_) graph.links[link].overlooked = false;
  candidates.insert(candidates.end(), suspects.begin(), suspects.end());
  suspects.clear();
  std::erase_if(candidates, [&](LinkId link) {
    if (!given_up_ && !is_marked(link)) return graph.links[link].flows == 0;
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
