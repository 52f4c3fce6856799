// Which flows cross which links, and with what weight: flat arrays, pooled, numbered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "network/network.hpp"

namespace pysmpi {

struct SharedLink {
  double capacity;                // bytes/s
  double load = 0.0;              // bytes/s that its flows take at their present rates
  double saturation = kNever;     // the level at which it holds some of its flows; kNever when it holds none
  std::uint32_t flows = 0;        // that cross it and take part
  std::uint32_t reach = 0;        // usages of these flows
  std::uint32_t slot = kNone;     // its place in the present solve
  std::uint32_t large_until = 0;  // up to this round SelectiveUpdate takes its part of the network for large
  bool overlooked = false;        // by SelectiveUpdate
  bool on = true;                 // what would cross it fails otherwise
  SharingPolicy policy;
};

// A flow's part in the sharing. Its rate is level / penalty, where the level is that of the water when it was held.
struct SharedFlow {
  double bound;    // bytes/s it never exceeds
  double penalty;  // seconds: weight of the round-trip time, as TCP's shares have it (RR-LIP-2002-40)
  double rate = 0.0;
  std::uint32_t first_usage = 0;
  std::uint32_t usage_count = 0;
  double former_rate = 0.0;  // before the present solve
  bool takes_part = false;   // false: it still pays its latency
  bool fresh = false;        // takes part since the last solve
  bool retuned = false;      // its bound or penalty is another one since the last solve
  bool open = false;         // the present solve finds its rate anew, and has not yet
  bool listed = false;       // among those that are dated anew

  double level() const { return rate * penalty; }
};

// A flow on a link. The usages of a flow lie side by side.
struct Usage {
  double weight;  // bytes/s taken from the link for each byte/s of the flow
  LinkId link;
  FlowId flow;
  std::uint32_t place;  // among the link's crossings, while the flow takes part
};

// The same as the link sees it. What is gone through again and again lies in one row, apart from what flows have.
struct Crossing {
  FlowId flow;  // kNone: it has left
  std::uint32_t usage;
};

// The crossings of a link by flows that take part, the latest first.
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
  std::vector<SharedLink> links;
  std::vector<SharedFlow> flows;
  std::vector<Usage> usages;

  LinkId add_link(double capacity, SharingPolicy policy);

  // A new flow, that does not take part yet. A link that is met several times is used with the sum of the weights (the
  // greatest one where it does not share).
  FlowId add_flow(double bound, double penalty, std::span<const LinkId> route, std::span<const LinkId> back_route);
  void erase_flow(FlowId flow);

  std::span<Usage> usages_of(FlowId flow) { return {usages.data() + flows[flow].first_usage, flows[flow].usage_count}; }
  std::span<const Usage> usages_of(FlowId flow) const {
    return {usages.data() + flows[flow].first_usage, flows[flow].usage_count};
  }

  // Counts, from now on, the flows whose route crosses each link, those too that do not take part yet.
  void count_crossings() {
    counts_crossings_ = true;
    counts_.resize(links.size());
  }
  std::uint32_t crossed_by(LinkId link) const { return counts_[link]; }

  bool crosses(FlowId flow, LinkId link) const;

  // The flow takes part from now on, as the latest on each of its links; it leaves one of them.
  void cross(std::uint32_t usage);
  void leave(std::uint32_t usage);

  NewestFirst newest_first(LinkId link) const { return NewestFirst(crossings_[link]); }
  // In the order of their entering, among them some that have left.
  std::span<const Crossing> crossings(LinkId link) const { return crossings_[link]; }

 private:
  void meet(LinkId link, double weight);
  void count_crossings_of(FlowId flow, std::uint32_t change);

  struct Meeting {
    std::uint32_t flow = 0;   // the count of flows added when it was last met
    std::uint32_t place = 0;  // in merged_
  };
  std::vector<Meeting> meetings_;  // by link
  bool counts_crossings_ = false;
  std::vector<std::uint32_t> counts_;             // by link
  std::vector<std::vector<Crossing>> crossings_;  // by link
  std::uint32_t flows_added_ = 0;
  std::vector<Usage> merged_;
  std::vector<FlowId> free_flows_;
  std::vector<std::vector<std::uint32_t>> free_usages_;  // by count: where blocks of so many begin
};

}  // namespace pysmpi
