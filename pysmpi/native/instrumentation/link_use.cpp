// Accumulation of link loads over intervals.
#include "instrumentation/link_use.hpp"

namespace pysmpi {

void LinkUse::add(const Incidence& graph, FlowId flow, double begun, double until, double rate) {
  intervals_.make_room(until, [this] { join(); });
  const auto last = static_cast<std::size_t>(until / width());
  for (const Usage& usage : graph.usages_of(flow)) {
    if (usage.link >= loads_.size()) loads_.resize(graph.links.size());
    std::vector<double>& loads = loads_[usage.link];
    if (loads.size() <= last) loads.resize(last + 1);
    const double part = rate * graph.weight(usage) / graph.links[usage.link].capacity;
    intervals_.divide(begun, until, [&](std::size_t i, double seconds) { loads[i] += part * seconds; });
  }
}

void LinkUse::join() {
  for (std::vector<double>& loads : loads_) {
    const std::size_t half = (loads.size() + 1) / 2;
    if (loads.size() % 2 != 0) loads.push_back(0.0);
    for (std::size_t i = 0; i < half; ++i) loads[i] = loads[2 * i] + loads[2 * i + 1];
    loads.resize(half);
  }
}

const std::vector<double>& LinkUse::load_seconds(LinkId link) const {
  static const std::vector<double> nothing;
  return link < loads_.size() ? loads_[link] : nothing;
}

}  // namespace pysmpi
