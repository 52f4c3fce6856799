// How much links are used over time: averages over equal intervals of the run, a few hundred numbers a link, however
// long it lasts.
#pragma once

#include <vector>

#include "base/types.hpp"
#include "instrumentation/intervals.hpp"
#include "network/incidence.hpp"

namespace pysmpi {

class LinkUse {
 public:
  // A flow has moved at this rate, in bytes/s taken from a link of weight 1.
  void add(const Incidence& graph, FlowId flow, double begun, double until, double rate);

  double width() const { return intervals_.width(); }  // of an interval, s
  // By interval, the integral of the part of the link's bandwidth that was used, in seconds; empty for unused links.
  // Links as the network numbers them.
  const std::vector<double>& load_seconds(LinkId link) const;

 private:
  void join();

  Intervals intervals_{1e-6};
  std::vector<std::vector<double>> loads_;  // by link
};

}  // namespace pysmpi
