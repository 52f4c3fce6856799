// Adds flows to links and removes them.
#include "network/incidence.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
// The acknowledgements of a flow take this fraction of its rate on the way back (Velho et al., TOMACS 2013).
constexpr double kCrosstraffic = 0.05;
// A link's crossings are compacted if more than one in kMostLeft + 1 is empty, because searches pass over all of them
// often.
constexpr std::size_t kMostLeft = 8;
}  // namespace

LinkId Incidence::add_link(double capacity, SharingPolicy policy) {
  links.push_back({.capacity = capacity, .policy = policy});
  meetings_.emplace_back();
  crossings_.emplace_back();
  if (counts_crossings_) counts_.push_back(0);
  return static_cast<LinkId>(links.size() - 1);
}

void Incidence::meet(LinkId link, double weight) {
  Meeting& meeting = meetings_[link];
  if (meeting.flow != flows_added_) {
    meeting = {flows_added_, static_cast<std::uint32_t>(merged_.size())};
    merged_.push_back({weight, link, kNone, kNone});
    return;
  }
  double& sum = merged_[meeting.place].weight;
  sum = links[link].policy == SharingPolicy::kShared ? sum + weight : std::max(sum, weight);
}

FlowId Incidence::add_flow(double bound, double penalty, std::span<const LinkId> route,
                           std::span<const LinkId> back_route) {
  ++flows_added_;
  merged_.clear();
  for (const LinkId link : route) meet(link, 1.0);
  for (const LinkId link : back_route) meet(link, kCrosstraffic);

  const std::size_t count = merged_.size();
  if (count >= free_usages_.size()) free_usages_.resize(count + 1);
  std::uint32_t first = static_cast<std::uint32_t>(usages.size());
  if (free_usages_[count].empty()) {
    usages.resize(usages.size() + count);
  } else {
    first = free_usages_[count].back();
    free_usages_[count].pop_back();
  }
  FlowId flow = static_cast<FlowId>(flows.size());
  if (free_flows_.empty()) {
    flows.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  flows[flow] = {
      .bound = bound, .penalty = penalty, .first_usage = first, .usage_count = static_cast<std::uint32_t>(count)};
  for (std::size_t i = 0; i < count; ++i) {
    usages[first + i] = merged_[i];
    usages[first + i].flow = flow;
  }
  if (counts_crossings_) count_crossings_of(flow, 1);
  return flow;
}

void Incidence::count_crossings_of(FlowId flow, std::uint32_t change) {
  for (const Usage& usage : usages_of(flow)) {
    if (usage.weight >= 1.0) counts_[usage.link] += change;  // the way back has a lower weight and does not count
  }
}

void Incidence::erase_flow(FlowId flow) {
  if (counts_crossings_) count_crossings_of(flow, ~std::uint32_t{0});
  flows[flow].takes_part = false;
  free_usages_[flows[flow].usage_count].push_back(flows[flow].first_usage);
  free_flows_.push_back(flow);
}

bool Incidence::crosses(FlowId flow, LinkId link) const {
  const auto usages_here = usages_of(flow);
  return std::any_of(usages_here.begin(), usages_here.end(), [&](const Usage& usage) { return usage.link == link; });
}

void Incidence::cross(std::uint32_t usage) {
  Usage& self = usages[usage];
  std::vector<Crossing>& crossings = crossings_[self.link];
  self.place = static_cast<std::uint32_t>(crossings.size());
  crossings.push_back({self.flow, usage});
  SharedLink& link = links[self.link];
  ++link.flows;
  link.reach += flows[self.flow].usage_count;
}

void Incidence::leave(std::uint32_t usage) {
  const Usage& self = usages[usage];
  std::vector<Crossing>& crossings = crossings_[self.link];
  crossings[self.place].flow = kNone;
  SharedLink& link = links[self.link];
  const std::uint32_t left = --link.flows;
  link.reach -= flows[self.flow].usage_count;
  while (!crossings.empty() && crossings.back().flow == kNone) crossings.pop_back();
  if (crossings.size() - left <= left / kMostLeft) return;
  std::erase_if(crossings, [](const Crossing& crossing) { return crossing.flow == kNone; });
  for (std::uint32_t place = 0; place < left; ++place) usages[crossings[place].usage].place = place;
}

}  // namespace pysmpi
