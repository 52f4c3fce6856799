#include "network/selective_update.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
constexpr std::size_t kLongestSearch = 8192;  // usages
constexpr std::uint32_t kStaysLarge = 8;      // rounds
}  // namespace

void SelectiveUpdate::add_flow(const Incidence& graph, FlowId id) {
  if (id >= ways_.size()) ways_.resize(id + 1);
  const SharedFlow& flow = graph.flows[id];
  ways_[id] = {.first = flow.first_usage, .end = flow.first_usage + flow.usage_count};
}

// In the order of System::update_modified_cnst_set_rec, which calls itself for each link that it comes to: through the
// flows of a link, the latest first, up to a link of theirs that is not marked yet, and from there first. Links where
// there is no other flow are passed over on the way.
void SelectiveUpdate::mark(Incidence& graph, LinkId start) {
  if (given_up_ || is_marked(start)) return;
  SharedLink* const links = graph.links.data();
  const Usage* const usages = graph.usages.data();
  std::uint32_t* const marks = marks_.data();
  Way* const ways = ways_.data();
  Place* const places = places_.data();
  LinkId* marked = marked_.data() + marked_count_;
  const std::uint32_t round = round_;
  std::size_t met = met_;
  std::size_t depth = 0;
  marks[start] = round;
  *marked++ = start;
  LinkId link = start;
  for (;;) {
    // It would be given up on the way through this link's flows.
    const bool too_long = links[link].reach > kLongestSearch || met > kLongestSearch;
    if (too_long || links[link].large_until > round) {
      given_up_ = true;
      for (const LinkId* one = marked_.data(); too_long && one != marked; ++one) {
        links[*one].large_until = round + kStaysLarge;
      }
      break;
    }
    Place place{graph.crossings(link).data(), graph.crossings(link).size()};
    link = kNone;
    while (link == kNone) {
      if (place.left == 0) {
        if (depth == 0) break;
        place = places[--depth];
        continue;
      }
      const FlowId flow = place.first[place.left - 1].flow;
      if (flow != kNone) {
        Way& way = ways[flow];
        if (way.round != round) {
          way.round = round;
          way.next = way.first;
        }
        const std::uint32_t end = way.end;
        std::uint32_t next = way.next;
        met += end - next;
        while (next != end) {
          const LinkId one = usages[next++].link;
          if (marks[one] == round) continue;
          marks[one] = round;
          *marked++ = one;
          if (links[one].flows == 1) continue;
          link = one;
          break;
        }
        met -= end - next;
        way.next = next;
      }
      if (link == kNone) --place.left;
    }
    if (link == kNone) break;
    places[depth++] = place;
  }
  marked_count_ = static_cast<std::size_t>(marked - marked_.data());
  met_ = met;
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
  marked_count_ = 0;
  met_ = 0;
  given_up_ = false;
}

}  // namespace pysmpi
