// What SMPI looks at again, and in which order.
//
// SimGrid 3.32 re-solves only the links that it has marked as modified (System::update_modified_cnst_set). A flow marks
// its links as it starts, its first link as it begins to take part and as it leaves, and from each link that it marks,
// SimGrid goes on to what is connected to it through the flows that take part. Two things follow that are part of
// SMPI's times:
// - When the first link is marked already, the search is not made again, and the flow's other links may stay unmarked:
//   the flow then gets a rate as if they had room for it, until something touches what is connected to them (up to some
//   per cent where several messages of one sender leave at once). The solver asks which links are overlooked.
// - Every flow on a marked link is dated anew, in the order of the marks, whether its rate changes or not, which
//   decides who comes first of those that end in one instant (Model::next_occurring_event_lazy).
//
// A search that comes into a part of the network so large that everything in it is connected is given up, and so are
// the next few that come there: nothing is overlooked, and only flows whose rates change are dated anew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "network/incidence.hpp"

namespace pysmpi {

class SelectiveUpdate {
 public:
  void add_link() {
    marks_.push_back(0);
    marked_.push_back(kNone);
    places_.emplace_back();
  }
  void add_flow(const Incidence& graph, FlowId flow);

  // The flow takes part no more.
  void leave(FlowId flow) {
    if (!has_met(flow)) return;
    *std::find(met_flows_.begin(), met_flows_.begin() + static_cast<std::ptrdiff_t>(met_flow_count_), flow) = kNone;
    ways_[flow].round = 0;
  }

  // The link is modified. What takes part now is searched.
  void mark(Incidence& graph, LinkId link) {
    if (!given_up_ && !is_marked(link)) search(graph, link);
  }
  bool is_marked(LinkId link) const { return marks_[link] == round_; }

  // All that has been marked since the last clear(), in that order; incomplete when the search was given up.
  std::span<const LinkId> marked() const { return {marked_.data(), marked_count_}; }
  bool given_up() const { return given_up_; }

  // The flows on marked links, in the order of the marks, on one link the latest first, and kNone where one has left.
  // Those that have entered too late to be met by a search are missing; they have changed the order when
  // `is_in_order` is false.
  std::span<const FlowId> met_flows() const { return {met_flows_.data(), met_flow_count_}; }
  bool has_met(FlowId flow) const { return ways_[flow].round == round_; }
  bool is_in_order() const { return in_order_; }

  // Takes the overlooked links out of `suspects` and marks them as such (SharedLink::overlooked); links overlooked by
  // an earlier solve that are marked now become suspects.
  void sift(Incidence& graph, std::vector<LinkId>& suspects);

  void clear();

 private:
  // How far the search of a round has come along a flow's usages: those before `next` are of links that are marked.
  struct Way {
    std::uint32_t round = 0;
    std::uint32_t first = 0, next = 0, end = 0;
  };
  // A link's crossings that are still to be gone through, from the latest on.
  struct Place {
    const Crossing* first;
    std::size_t left;
  };

  void search(Incidence& graph, LinkId start);

  std::vector<std::uint32_t> marks_;  // by link: the last round that marked it
  std::vector<Way> ways_;             // by flow
  std::vector<LinkId> marked_;        // the first marked_count_ ones; there is room for all
  std::vector<LinkId> hops_;          // by usage: its link
  std::vector<FlowId> met_flows_;     // the first met_flow_count_ ones
  std::vector<LinkId> overlooked_;
  std::vector<Place> places_;  // room for one a link
  std::uint32_t round_ = 1;
  std::size_t marked_count_ = 0;
  std::size_t met_flow_count_ = 0;
  std::size_t met_ = 0;  // usages, in this round
  bool given_up_ = false;
  bool in_order_ = true;
};

}  // namespace pysmpi
