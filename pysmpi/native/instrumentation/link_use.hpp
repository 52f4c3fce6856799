// Use of each link over time, as averages over equal intervals of the run: at most a few hundred numbers per link,
// however long the run is.
#pragma once

#include <vector>

#include "base/types.hpp"
#include "instrumentation/intervals.hpp"
#include "network/incidence.hpp"

namespace pysmpi {

class LinkUse {
 public:
  // Add a flow that moved at a constant rate from `begun` to `until`. `rate` is the bandwidth in bytes/s that the flow
  // takes from a link of weight 1.
  void add(const Incidence& graph, FlowId flow, double begun, double until, double rate);

  double width() const { return intervals_.width(); }  // seconds per interval
  // For each interval, the integral over time of the used fraction of the bandwidth, in seconds; empty for unused
  // links. `link` is the network's number of the link.
  const std::vector<double>& load_seconds(LinkId link) const;

 private:
  void join();

  Intervals intervals_{1e-6};
  std::vector<std::vector<double>> loads_;  // indexed by link
};

}  // namespace pysmpi
