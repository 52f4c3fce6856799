// SimGrid's search for the links that are connected to a modified link.
#include "network/selective_update.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
constexpr std::size_t kLongestSearch = 8192;  // size at which a search is given up, in usages
constexpr std::uint32_t kStaysLarge = 8;      // number of rounds for which a part of the network counts as large
}  // namespace

void SelectiveUpdate::add_flow(const Incidence& graph, FlowId id) {
  if (!searches_) return;
  if (id >= ways_.size()) ways_.resize(id + 1);
  const SharedFlow& flow = graph.flows[id];
  hops_.grow(graph.usages.size());
  std::uint32_t number = flow.first_usage;
  for (const Usage& usage : graph.usages_of(id)) hops_[number++] = usage.link;
  ways_[id] = {.first = flow.first_usage, .end = flow.first_usage + flow.usage_count};
}

// Give up the search, and expect the part of the network around these links to stay too large for a while.
void SelectiveUpdate::give_up(Incidence& graph, std::span<const LinkId> links) {
  given_up_ = true;
  for (const LinkId link : links) graph.links[link].large_until = round_ + kStaysLarge;
}

// Begin with the flows at `place` that no search of this round has met yet. Returns the number of their usages.
std::size_t SelectiveUpdate::meet(Place place, FlowId*& met_flow) {
  Way* const ways = ways_.data();
  const std::uint32_t round = round_;
  std::size_t usages = 0;
  for (std::size_t left = place.left; left > 0; --left) {
    const FlowId flow = place.first[left - 1].flow;
    if (flow == kNone) continue;
    Way& way = ways[flow];
    if (way.round == round) continue;
    way.round = round;
    way.next = way.first;
    *met_flow++ = flow;
    usages += way.end - way.first;
  }
  return usages;
}

// Mark the links connected to `start`, in the order of SimGrid's recursive System::update_modified_cnst_set_rec. For
// each link, the search goes through the link's flows, the latest first. At the first unmarked link of a flow, the
// search continues from that link, depth first, before it returns. A link without other flows is marked in passing. The
// search stops as soon as all links of all flows met are marked, because going back through the flows would find
// nothing more, although it would double the work.
void SelectiveUpdate::search(Incidence& graph, LinkId start) {
  if (met_flows_.size() < met_flow_count_ + graph.flows.size()) {
    met_flows_.resize(met_flow_count_ + 2 * graph.flows.size());
  }
  SharedLink* const links = graph.links.data();
  const LinkId* const hops = hops_.data();
  std::uint32_t* const marks = marks_.data();
  Way* const ways = ways_.data();
  Place* const places = places_.data();
  LinkId* marked = marked_.data() + marked_count_;
  FlowId* met_flow = met_flows_.data() + met_flow_count_;
  const std::uint32_t round = round_;
  std::size_t met = met_;
  std::size_t met_at_end = met_;
  // Number of usages of the flows found so far that are on links not visited by this search. Zero means that everything
  // connected is marked.
  std::size_t unmarked = 0;
  std::size_t depth = 0;
  marks[start] = round;
  *marked++ = start;
  LinkId link = start;
  for (;;) {
    // Give up the search if the part of the network around this link is too large.
    const bool too_long = links[link].reach > kLongestSearch || met > kLongestSearch;
    if (too_long || links[link].large_until > round) {
      give_up(graph, too_long ? std::span<const LinkId>(marked_.data(), marked) : std::span<const LinkId>());
      break;
    }
    Place place{graph.crossings(link).data(), graph.crossings(link).size()};
    const std::size_t usages = meet(place, met_flow);
    unmarked += usages;
    met_at_end += usages;
    unmarked -= links[link].flows;
    if (unmarked == 0) break;
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
        const std::uint32_t end = way.end;
        std::uint32_t next = way.next;
        met += end - next;
        while (next != end) {
          const LinkId one = hops[next++];
          if (marks[one] == round) continue;
          marks[one] = round;
          *marked++ = one;
          if (links[one].flows == 1) {
            if (--unmarked > 0) continue;
            place.left = 0;
            depth = 0;
            break;
          }
          link = one;
          break;
        }
        met -= end - next;
        way.next = next;
      }
      if (link == kNone && place.left > 0) --place.left;
    }
    if (link == kNone) break;
    places[depth++] = place;
  }
  marked_count_ = static_cast<std::size_t>(marked - marked_.data());
  met_flow_count_ = static_cast<std::size_t>(met_flow - met_flows_.data());
  met_ = met_at_end;
  if (unmarked != 0) in_order_ = false;  // a flow met here also uses a link that an earlier search has marked
}

void SelectiveUpdate::sift(Incidence& graph, std::vector<LinkId>& suspects) {
  if (!searches_ || (suspects.empty() && overlooked_.empty())) return;
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
  met_flow_count_ = 0;
  met_ = 0;
  given_up_ = !searches_;
  in_order_ = true;
}

}  // namespace pysmpi
