// What links carry, and which of them limit flows: a flow is held back by the link on its way that is full and gives it
// the least. Where none is, and it is not the TCP window, the narrowest link limits it: of equal ones the busiest.
#pragma once

#include <cstdint>
#include <vector>

#include "base/observation.hpp"
#include "base/types.hpp"

namespace pysmpi {

class Bottlenecks final : public Observer {
 public:
  // Of a link, by the network's numbers.
  struct Link {
    double bytes = 0.0;         // taken from its bandwidth, headers and crosstraffic included
    double flow_seconds = 0.0;  // for which it has held flows back, summed over flows
    double saturated = 0.0;     // s in which it has held some
    std::uint64_t flows = 0;    // that have crossed it
    std::uint32_t holds = 0;    // flows, now
    double since = 0.0;
  };

  void flow_moves(double now, const Incidence& graph, FlowId flow) override;
  void flow_moved(const Incidence& graph, FlowId flow, double begun, double until, double rate) override;

  // The link that has limited the flow for the longest, and about how long, s; kNone: none has. To be asked once, as
  // the flow ends.
  struct Limit {
    LinkId link = kNone;
    double seconds = 0.0;
  };
  Limit limit(FlowId flow);

  const std::vector<Link>& links() const { return links_; }

 private:
  struct Flow {
    LinkId limited_by = kNone;
    bool held = false;  // that link is full
    Limit longest;
    bool moves = false;  // it has been seen
  };
  LinkId narrowest(const Incidence& graph, FlowId flow) const;

  std::vector<Flow> flows_;
  std::vector<Link> links_;
};

}  // namespace pysmpi
