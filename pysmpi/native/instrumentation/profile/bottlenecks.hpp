// Loads of links, and the bottlenecks: links that limit flows. The bottleneck of a flow is a full link on its route; of
// several, the one with the lowest water-filling level (network/sharing.hpp), which limits the flow most. If no link is
// full and the TCP window is not the limit, the bottleneck is the narrowest link of the route; among equally narrow
// links, the one that most flows have crossed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/observer.hpp"
#include "base/types.hpp"

namespace pysmpi {

class Bottlenecks final : public Observer {
 public:
  // Statistics of a link, indexed by the network's link number.
  struct Link {
    double bytes = 0.0;         // bytes taken from its bandwidth, including headers and cross traffic
    double flow_seconds = 0.0;  // seconds in which it held flows back, summed over flows
    double saturated = 0.0;     // seconds in which it held at least one flow back
    std::uint64_t flows = 0;    // number of flows that have crossed it
    std::uint32_t holds = 0;    // number of flows that it holds back now
    double since = 0.0;         // time (s) since which it has held back at least one flow
  };

  void flow_moves(double now, const Incidence& graph, FlowId flow) override;
  void flow_moved(const Incidence& graph, FlowId flow, double begun, double until, double rate) override;

  // The link that limited a flow for the longest time (kNone if no link did), and for about how many seconds. limit()
  // returns it, and must be called once for each flow, when the flow ends.
  struct Limit {
    LinkId link = kNone;
    double seconds = 0.0;
  };
  Limit limit(FlowId flow);

  const std::vector<Link>& links() const { return links_; }

 private:
  struct Flow {
    LinkId limited_by = kNone;
    bool held = false;  // the limiting link is full
    Limit longest;
    bool moves = false;  // flow_moves has reported the flow
  };
  LinkId narrowest(const Incidence& graph, FlowId flow) const;

  std::vector<Flow> flows_;
  std::vector<Link> links_;
};

}  // namespace pysmpi
