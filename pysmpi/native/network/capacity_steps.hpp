// Capacities of links that change in steps with the number of flows that move over the link.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "network/incidence.hpp"

namespace pysmpi {

// Example with the steps 1: 16 GB/s, 8: 17 GB/s, 12: 21 GB/s: seven flows together move 16 GB/s, eight 17 GB/s, and
// twelve or more 21 GB/s.
class CapacitySteps {
 public:
  bool any() const { return !links_.empty(); }

  // `steps` is sorted by the number of flows and must live as long as this object.
  void add(LinkId link, std::span<const CapacityStep> steps) { links_[link] = {steps}; }

  // Record that flows have begun or ended to move over these links.
  void touch(std::span<const Usage> usages) {
    for (const Usage& usage : usages) {
      const auto found = links_.find(usage.link);
      if (found == links_.end() || std::exchange(found->second.is_touched, true)) continue;
      touched_.push_back(usage.link);
    }
  }

  // Call change(link, capacity) for each link whose capacity must change, in the order in which they were touched.
  template <typename Change>
  void apply(const Incidence& graph, Change change) {
    for (const LinkId link : touched_) {
      Stepped& stepped = links_.at(link);
      stepped.is_touched = false;
      const double capacity = capacity_for(stepped.steps, graph.links[link].flows);
      if (capacity != graph.links[link].capacity) change(link, capacity);
    }
    touched_.clear();
  }

 private:
  struct Stepped {
    std::span<const CapacityStep> steps;
    bool is_touched = false;
  };

  // The first step also applies to a link without flows.
  static double capacity_for(std::span<const CapacityStep> steps, std::uint32_t flows) {
    double capacity = steps.front().capacity;
    for (const CapacityStep& step : steps) {
      if (flows >= step.flows) capacity = step.capacity;
    }
    return capacity;
  }

  std::unordered_map<LinkId, Stepped> links_;
  std::vector<LinkId> touched_;
};

}  // namespace pysmpi
