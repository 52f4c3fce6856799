// Incidence of flows and links: which flow crosses which link, with which weight. All data are in flat arrays with
// numbers instead of pointers, and free entries are reused.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/growing_array.hpp"
#include "base/large_pages.hpp"
#include "base/types.hpp"
#include "network/index_blocks.hpp"
#include "network/network.hpp"

namespace pysmpi {

// A flow counts as limited by a full link if the levels of both (SharedFlow::level) agree to this relative precision.
inline constexpr double kSameLevel = 1e-9;

// A link as the solver of bandwidth sharing (network/sharing.hpp) sees it, in one cache line.
struct alignas(64) SharedLink {
  double capacity;             // bytes/s
  double load = 0.0;           // bytes/s taken by its flows at their present rates
  double demand = 0.0;         // bytes/s that its flows would take at their bounds; exact mode only
  double saturation = kNever;  // level at which the full link limits flows; kNever if it limits none
  std::uint32_t flows = 0;     // number of participating flows that cross it
  std::uint32_t reach = 0;     // number of usages of these flows, over all links
  std::uint32_t slot = kNone;  // index in the solver's list of links, or kNone
  // Round of SelectiveUpdate (number of a solve) before which the part of the network around the link counts as too
  // large for a search.
  std::uint32_t large_until = 0;
  bool overlooked = false;  // true if SelectiveUpdate overlooks the link
  bool on = true;           // flows that cross a link that is off fail
  SharingPolicy policy;
};

// A flow as the solver of bandwidth sharing (network/sharing.hpp) sees it. The flow's level is rate * penalty. Flows
// that are limited by the same full link have the same level.
struct SharedFlow {
  double bound;  // highest rate in bytes/s
  // Inverse weight of the flow, in seconds. A flow with a large penalty gets a small share of a link, like a TCP
  // connection with a long round-trip time (RR-LIP-2002-40).
  double penalty;
  double rate = 0.0;
  std::uint32_t first_usage = 0;
  std::uint32_t usage_count = 0;
  double former_rate = 0.0;  // rate before the present solve
  bool takes_part = false;   // false while it pays its latency
  bool fresh = false;        // entered since the last solve
  bool retuned = false;      // bound or penalty changed since the last solve
  bool open = false;         // the present solve has not found the flow's rate yet
  bool listed = false;       // already in the list of flows whose end must be computed again

  double level() const { return rate * penalty; }
};

// The use of one link by one flow. The usages of a flow are consecutive in Incidence::usages. A million flows over 100
// links each have 10^8 usages, so a usage contains only a number for its weight, of which there are few different ones;
// Incidence::weight() returns the weight itself.
struct Usage {
  static constexpr int kPlaceBits = 27;  // enough for all flows under way, plus empty entries of flows that have left
  LinkId link;
  std::uint32_t place : kPlaceBits;  // position among the link's crossings, while the flow participates
  std::uint32_t weight : 32 - kPlaceBits;
};

// A flow in a link's list of flows; the list is in the order in which flows began to move. The solver reads these lists
// often, so they are kept contiguous and apart from the flows.
struct Crossing {
  FlowId flow;  // kNone if the flow has left
  std::uint32_t usage;
};

// Iteration over the flows that take bandwidth from a link, the latest first.
class NewestFirst {
 public:
  explicit NewestFirst(std::span<const Crossing> in_order) : in_order_(in_order) {}

  class Iterator {
   public:
    Iterator(const Crossing* first, const Crossing* after) : first_(first), after_(after) { skip_left(); }
    const Crossing& operator*() const { return after_[-1]; }
    Iterator& operator++() {
      --after_;
      skip_left();
      return *this;
    }
    bool operator==(const Iterator& other) const { return after_ == other.after_; }

   private:
    void skip_left() {
      while (after_ != first_ && after_[-1].flow == kNone) --after_;
    }
    const Crossing *first_, *after_;
  };
  Iterator begin() const { return {in_order_.data(), in_order_.data() + in_order_.size()}; }
  Iterator end() const { return {in_order_.data(), in_order_.data()}; }

 private:
  std::span<const Crossing> in_order_;
};

class Incidence {
 public:
  std::vector<SharedLink, LargePages<SharedLink>> links;
  // For each link, false if the solver need not look at it, because it cannot limit its flows. The solver asks this for
  // each link of a route. Millions of bits fit into the processor's cache, but the links themselves do not.
  std::vector<bool> watched;
  std::vector<SharedFlow, LargePages<SharedFlow>> flows;
  GrowingArray<Usage> usages;

  LinkId add_link(double capacity, SharingPolicy policy);

  // Add a flow that does not take bandwidth from its links yet, because it still pays its latency. If the route crosses
  // a link several times, the flow uses it once, with the sum of the weights or, if the link is not shared, with the
  // greatest weight. The flow takes `memory_weight` bytes from each link of `memories` per byte of its rate.
  FlowId add_flow(double bound, double penalty, std::span<const LinkId> route, std::span<const LinkId> back_route,
                  std::span<const LinkId> memories = {}, double memory_weight = 1.0);
  void erase_flow(FlowId flow);

  std::span<Usage> usages_of(FlowId flow) { return {usages.data() + flows[flow].first_usage, flows[flow].usage_count}; }
  std::span<const Usage> usages_of(FlowId flow) const {
    return {usages.data() + flows[flow].first_usage, flows[flow].usage_count};
  }

  // Return the bytes/s taken from the link per byte/s of the flow. `usage` must be an element of `usages`.
  double weight(const Usage& usage) const {
    if (usage.weight != kRareWeight) return weights_[usage.weight];
    return rare_weights_.at(static_cast<std::uint32_t>(&usage - usages.data()));
  }
  double weight(std::uint32_t usage) const { return weight(usages[usage]); }

  // Count, from now on, the flows whose route crosses each link, including those that still pay their latency.
  void count_crossings() {
    counts_crossings_ = true;
    counts_.resize(links.size());
  }
  std::uint32_t crossed_by(LinkId link) const { return counts_[link]; }

  bool crosses(FlowId flow, LinkId link) const;

  // Append the flow to the list of moving flows of one link of its route, that of usages[usage]. leave() removes it
  // from this list.
  void cross(FlowId flow, std::uint32_t usage);
  void leave(FlowId flow, std::uint32_t usage);

  void prefetch_usages(FlowId flow) const {
    constexpr std::size_t kPerLine = 64 / sizeof(Usage);
    const auto here = usages_of(flow);
    for (std::size_t at = 0; at < here.size(); at += kPerLine) __builtin_prefetch(here.data() + at);
  }
  // Prefetch the data that cross() and leave() need for the links of the flow's route, which lie scattered in memory.
  void prefetch_crossings(FlowId flow) const;

  NewestFirst newest_first(LinkId link) const { return NewestFirst(crossings_[link]); }
  // The link's list of moving flows, in the order in which they began to move. An entry whose flow has left is empty
  // (kNone).
  std::span<const Crossing> crossings(LinkId link) const { return crossings_[link]; }

 private:
  struct Merged {
    LinkId link;
    double weight;
  };
  // A usage stores the index of its weight in weights_, which is below this value. If all indices are taken, it stores
  // this value itself, and the weight is in rare_weights_.
  static constexpr std::uint32_t kRareWeight = (1U << (32 - Usage::kPlaceBits)) - 1;

  void meet(LinkId link, double weight);
  std::uint32_t number_of_weight(double weight);
  void count_crossings_of(FlowId flow, std::uint32_t change);

  struct Meeting {
    // Value of flows_added_ when a flow that crosses the link was last added. If it equals the present value, the route
    // of the flow being added crosses the link more than once.
    std::uint32_t flow = 0;
    std::uint32_t place = 0;  // position in merged_
  };
  std::vector<Meeting, LargePages<Meeting>> meetings_;  // indexed by link
  bool counts_crossings_ = false;
  std::vector<std::uint32_t> counts_;  // indexed by link
  using Crossings = std::vector<Crossing>;
  std::vector<Crossings, LargePages<Crossings>> crossings_;  // indexed by link
  std::uint32_t flows_added_ = 0;
  std::vector<Merged> merged_;
  std::vector<FlowId> free_flows_;
  IndexBlocks blocks_;  // blocks of `usages`, one for each flow
  std::array<double, kRareWeight> weights_{};
  std::uint32_t weight_count_ = 0;
  std::unordered_map<std::uint32_t, double> rare_weights_;  // key: index of the usage
};

}  // namespace pysmpi
