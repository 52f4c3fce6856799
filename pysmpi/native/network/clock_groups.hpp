// Max-min fair sharing at the cost of what changes: flows that a full link holds form a group with one clock.
//
// All flows of a group have the same level L = rate * penalty, so the group needs one number L and one clock, the
// integral of L over time. A flow with r bytes left that joins when the clock shows V ends when it shows V + r *
// penalty, whatever L does meanwhile: the virtual time of generalised processor sharing (Demers, Keshav and Shenker,
// SIGCOMM 1989; Parekh and Gallager, ToN 1993). Example: two flows of penalty 1 s and 6 bytes share a link of 4
// bytes/s, so L is 2. After 1 s the clock shows 2 and a third flow of 6 bytes joins. The first two end when the clock
// shows 6, the third one when it shows 8. With three flows L is 4/3, so the first two end 3 s later; the end of no flow
// is computed again.
//
// Groups influence each other where a flow of one group crosses the full link of another. Such flows are summed in an
// entry for each pair of link and group (Ros-Giralt et al., SIGCOMM 2021). For each full link l:
//     own = sum of weight / penalty of its group,  foreign = load of all other flows,  L = (capacity - foreign) / own
//     every flow on l has a level of at most L; every flow of the group has a bound of at least L, and no full link on
//     its route has a lower level.
// A link that is not full but could become full (a watched link, see network/sharing.hpp) is either near or far. If it
// is near, which means nearly full, its load is kept up to date like that of a full link. If it is far, each of its
// entries has a threshold above the level of its group, such that the link cannot be full while no level passes its
// threshold.
//
// This is faster than Sharing by one or two orders of magnitude if many flows are held by few links, as in an incast.
// It is slower if every flow is in a group of its own. Class Network chooses between the two
// (network/group_choice.hpp).
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "base/dated_heap.hpp"
#include "base/types.hpp"
#include "network/incidence.hpp"
#include "network/network.hpp"
#include "network/pair_table.hpp"

namespace pysmpi {

class ClockGroups {
 public:
  // `events` receives the end of each flow that is limited by its own bound, and therefore is in no group.
  ClockGroups(Incidence& graph, DatedHeap& events, NetworkCounters& counters)
      : graph_(graph), events_(events), counters_(counters) {}

  // Take over all moving flows when the network changes to groups from Sharing, which has just solved the rates. Call
  // begin() once, then take_over() for each flow: the flow has `left` bytes to move at `now`, and `factor` of its bytes
  // arrive for each byte that a link of weight 1 carries.
  void begin();
  void take_over(FlowId flow, double left, double factor, double now);

  // Let a flow take bandwidth from its links from `now` on; the parameters are those of take_over(). leave() removes
  // the flow and returns the number of bytes that it had left.
  void enter(FlowId flow, double left, double factor, double now);
  double leave(FlowId flow, double now);

  // Compute the levels of all groups after all changes. Returns the time at which the first flow of a group ends, or -1
  // if rounding errors prevented a solution; Sharing must then compute all rates.
  double solve(double now);

  // Append the flows in groups that end at `now` (within `precision` seconds), with the times of their ends. The caller
  // must then call leave() for each of them.
  void take_due(double now, double precision, std::vector<std::pair<double, FlowId>>& due);

  double rate(FlowId flow) const;  // bytes/s taken from links of weight 1
  double left(FlowId flow, double now) const;
  double level_of_full(LinkId link) const {
    return link < groups_.size() && groups_[link].is_full ? groups_[link].level : kNever;
  }
  std::uint64_t order(FlowId flow) const { return states_[flow].order; }  // greater for flows that came later
  double now() const { return now_; }

  // Return the work done since the last call. The unit is the work with which Sharing computes the rate of one flow.
  double take_work() { return std::exchange(work_, 0.0); }

 private:
  struct State {
    double end = 0.0;    // of the flow: in a group, value of the group's clock; at its bound, date in seconds
    double share = 0.0;  // weight / penalty on the group's link
    double factor = 1.0;
    std::uint64_t order = 0;
    LinkId group = kNone;         // the link that holds the flow, kAtBound, or kNone
    std::uint32_t place = kNone;  // position in the group's heap of ends; kNone once it is due
  };
  struct Entry {
    LinkId link, group;
    std::uint32_t count = 0;
    double usage = 0.0;  // sum of weight / penalty
    double threshold = 0.0;
    std::uint32_t place_in_link, place_in_group;
  };
  struct Group {
    double level = kNever;
    double usage = 0.0;     // sum of weight / penalty of the group's own flows
    double foreign = 0.0;   // near links: load of all other flows, or of all flows if the link is not full
    double bounded = 0.0;   // load of flows at their bounds
    double reserved = 0.0;  // far links: load at the thresholds
    double clock = 0.0, clock_date = 0.0;
    double highest_bounded = 0.0, highest_entry = 0.0;  // upper limits of levels: flows at bounds, entries
    double lowest_bound = kNever;  // lower limit of the levels at which bounds hold flows of the group
    std::uint32_t flows_at_bound = 0;
    std::uint32_t changes = 0;  // number of changes since the sums were computed from zero
    bool is_full = false, is_near = false, is_marked = false, is_dated_again = false;
    std::vector<std::uint32_t> entries;     // entries of the link
    std::vector<std::uint32_t> pairs;       // entries of the group on full and near links
    std::vector<std::uint32_t> thresholds;  // entries of the group on far links, a heap by threshold
    std::vector<FlowId> ends;               // the group's flows, a heap by end
  };
  struct Candidate {
    double level, usage;
    std::uint32_t entry;
    FlowId flow;
  };
  using Estimate = std::pair<double, LinkId>;

  double bound_level(FlowId flow) const { return graph_.flows[flow].bound * graph_.flows[flow].penalty; }
  void know(LinkId link);
  void advance(Group& group) const;
  void date_again(LinkId link);
  void mark(LinkId link);
  void mark_if_over(LinkId link, const Group& group);
  void place_marked();

  std::uint32_t find_entry(LinkId link, LinkId group) const;
  void join(std::uint32_t usage, LinkId group, double share);
  void quit(std::uint32_t usage, double share);
  void add_pair(std::uint32_t entry);
  void remove_pair(std::uint32_t entry);
  void add_threshold(std::uint32_t entry);
  void remove_threshold(std::uint32_t entry);
  void place_threshold(Group& group, std::uint32_t at, std::uint32_t entry);
  void sift_threshold(Group& group, std::uint32_t at, std::uint32_t entry);
  bool ends_before(FlowId one, FlowId other) const;
  void sift_end(Group& group, std::uint32_t at, FlowId flow);
  void remove_end(Group& group, FlowId flow);

  void assign(FlowId flow, LinkId group, double left);
  double unassign(FlowId flow);
  void move(const std::vector<FlowId>& flows, LinkId group);
  void watch(LinkId link);
  double load_of(const Group& group) const;
  void sum_again(LinkId link);
  void set_thresholds(LinkId link);
  void fill(LinkId link);
  void stop_being_full(LinkId link);
  void set_level(LinkId link, double level);
  bool absorb(LinkId link, double& level);
  void find_candidates(LinkId link, double level);
  void collect_moving(LinkId link, std::size_t taken);
  bool release_bounded(LinkId link, double level);
  bool release_to_lower(LinkId link, double level);
  bool process(LinkId link);

  static constexpr LinkId kAtBound = kNone - 1;
  // Levels (rate * penalty) whose relative difference is below this value count as equal, so that rounding does not
  // make flows change their groups.
  static constexpr double kTie = 1e-12;
  // A link that counts as nearly full (near) no longer does so when its load is below this fraction of its capacity.
  static constexpr double kFar = 0.9;
  // For links with more entries than this, a hash table finds the entry of a group.
  static constexpr std::size_t kFewEntries = 8;

  Incidence& graph_;
  DatedHeap& events_;
  NetworkCounters& counters_;
  DatedHeap first_ends_;  // first end of a flow in each group, by the group's link
  std::vector<Group> groups_;
  std::vector<State> states_;
  GrowingArray<std::uint32_t> entry_of_;  // indexed by usage; kNone if the usage is in no entry
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_entries_;
  PairTable found_;  // (link, group) -> entry, for links with many entries
  std::vector<LinkId> marked_, dated_again_;
  std::priority_queue<Estimate, std::vector<Estimate>, std::greater<>> lowest_;
  std::vector<Candidate> candidates_;
  std::vector<FlowId> moving_;
  // Stack of the search for links to mark: positions in a group's heap of thresholds that are still to be visited.
  std::vector<std::uint32_t> to_visit_;
  std::vector<std::uint32_t> stamps_;  // indexed by link
  std::uint32_t stamp_ = 0;
  std::uint64_t entered_ = 0;
  double now_ = 0.0;
  double work_ = 0.0;
};

}  // namespace pysmpi
