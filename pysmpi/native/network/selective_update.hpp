// SimGrid's selective update: the choice and the order of the links and flows that a solve processes again.
//
// SimGrid 3.32 solves again only the links that it has marked as modified (System::update_modified_cnst_set). A flow
// marks all its links when it starts, and its first link when its latency is over (it begins to participate in the
// sharing) and when it leaves. From each link that it marks, SimGrid goes on to all links connected to it through
// participating flows. Example:
//
//     links A, B, D;   flow f over A and B,   g over B,   h over A,   k over D
//
// When g ends, it marks B. Through f, which crosses B, the search comes to A, and through h to nothing new. Links B and
// A are marked, in this order. The ends of flows f and h are computed again, in this order. D and k are not looked at.
//
// Two effects of this procedure are part of SMPI's times:
// - Links may be overlooked. If the first link of an entering flow is already marked, the search is not repeated, and
//   the flow's other links may stay unmarked. Example: p and q leave one sender together, p over links S and R1, q over
//   S and R2. When p enters, S and R1 are marked. When q enters, S is marked already, so R2 is not marked. Even if
//   other flows fill R2, q gets a rate as if it had room, until something marks R2. The difference is up to some per
//   cent.
// - The end of every flow on a marked link is computed again, in the order of the marks, even if the rate of the flow
//   does not change. The order of these computations decides which of several flows that end at the same time comes
//   first (Model::next_occurring_event_lazy).
//
// If nearly all links in a part of the network are connected, a search would mark the whole part. Such a search is
// given up, and so are the next few searches there. Then no link is overlooked, and only the ends of flows whose rates
// change are computed again. In the exact mode (network/optim:Full), every search is given up before it begins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "network/incidence.hpp"

namespace pysmpi {

class SelectiveUpdate {
 public:
  explicit SelectiveUpdate(bool searches) : searches_(searches) {}

  void add_link() {
    if (!searches_) return;
    marks_.push_back(0);
    marked_.push_back(kNone);
    places_.emplace_back();
  }
  void add_flow(const Incidence& graph, FlowId flow);

  // Remove from met_flows() a flow that no longer takes bandwidth from its links.
  void leave(FlowId flow) {
    if (!searches_ || !has_met(flow)) return;
    *std::find(met_flows_.begin(), met_flows_.begin() + static_cast<std::ptrdiff_t>(met_flow_count_), flow) = kNone;
    ways_[flow].round = 0;
  }

  // Mark a modified link and all links that are connected to it through flows. Has no effect if the link is marked
  // already, or if a search of this solve was given up.
  void mark(Incidence& graph, LinkId link) {
    if (!given_up_ && !is_marked(link)) search(graph, link);
  }
  bool is_marked(LinkId link) const { return marks_[link] == round_; }

  // All links marked since the last clear(), in order of marking. Incomplete if given_up(): a search has then met a
  // part of the network that is too large, or the exact mode (network/optim:Full) makes no searches.
  std::span<const LinkId> marked() const { return {marked_.data(), marked_count_}; }
  bool given_up() const { return given_up_; }

  // The flows on marked links: in the order in which the links were marked, and on one link the latest flow first;
  // kNone for a flow that has left. Flows that entered after the search are missing. If is_in_order() is false, flows
  // may come in another order.
  std::span<const FlowId> met_flows() const { return {met_flows_.data(), met_flow_count_}; }
  bool has_met(FlowId flow) const { return ways_[flow].round == round_; }
  bool is_in_order() const { return in_order_; }

  // Remove from `suspects` (links that may be overloaded) those that SimGrid overlooks, because they are not marked.
  // Their SharedLink::overlooked is set, and they are remembered: when a later search marks them or is given up, they
  // become suspects again.
  void sift(Incidence& graph, std::vector<LinkId>& suspects);

  // Remove all marks, at the end of a solve.
  void clear();

 private:
  // Progress of the present search through the links of one flow: all links of its usages from `first` up to `next` are
  // marked.
  struct Way {
    std::uint32_t round = 0;
    std::uint32_t first = 0, next = 0, end = 0;
  };
  // The part of a link's list of flows that the search has not visited yet. The search goes through the list from the
  // latest flow to the first.
  struct Place {
    const Crossing* first;
    std::size_t left;
  };

  void search(Incidence& graph, LinkId start);
  void give_up(Incidence& graph, std::span<const LinkId> links);
  std::size_t meet(Place place, FlowId*& met_flow);

  std::vector<std::uint32_t> marks_;  // last round that marked each link
  std::vector<Way> ways_;             // indexed by flow
  std::vector<LinkId> marked_;        // the first marked_count_ entries are valid; there is room for all links
  GrowingArray<LinkId> hops_;         // link of each usage
  std::vector<FlowId> met_flows_;     // the first met_flow_count_ entries are valid
  std::vector<LinkId> overlooked_;
  std::vector<Place> places_;  // room for one entry per link
  std::uint32_t round_ = 1;
  std::size_t marked_count_ = 0;
  std::size_t met_flow_count_ = 0;
  std::size_t met_ = 0;  // usages met in this round
  const bool searches_;
  bool given_up_ = !searches_;
  bool in_order_ = true;
};

}  // namespace pysmpi
