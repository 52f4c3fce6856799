// Adds flows to links and removes them.
#include "network/incidence.hpp"

#include <algorithm>

namespace pysmpi {

namespace {
// The acknowledgements of a flow take this fraction of its rate on the way back (Velho et al., TOMACS 2013).
constexpr double kCrosstraffic = 0.05;
// A flow that leaves a link leaves an empty entry in the link's list, which searches pass over. The list is compacted
// when it has more than one empty entry for every kMostLeft flows.
constexpr std::size_t kMostLeft = 8;
// When no flow crosses a link any more, the memory of its list is kept only if it has room for at most this number of
// flows. With millions of links that many flows have crossed once, most of the memory would otherwise be unused.
constexpr std::size_t kKept = 16;
}  // namespace

LinkId Incidence::add_link(double capacity, SharingPolicy policy) {
  links.push_back({.capacity = capacity, .policy = policy});
  watched.push_back(true);
  meetings_.emplace_back();
  crossings_.emplace_back();
  if (counts_crossings_) counts_.push_back(0);
  return static_cast<LinkId>(links.size() - 1);
}

void Incidence::meet(LinkId link, double weight) {
  Meeting& meeting = meetings_[link];
  if (meeting.flow != flows_added_) {
    meeting = {flows_added_, static_cast<std::uint32_t>(merged_.size())};
    merged_.push_back({link, weight});
    return;
  }
  double& sum = merged_[meeting.place].weight;
  sum = links[link].policy == SharingPolicy::kShared ? sum + weight : std::max(sum, weight);
}

FlowId Incidence::add_flow(double bound, double penalty, std::span<const LinkId> route,
                           std::span<const LinkId> back_route, std::span<const LinkId> memories, double memory_weight) {
  ++flows_added_;
  merged_.clear();
  for (const LinkId link : route) meet(link, 1.0);
  for (const LinkId link : back_route) meet(link, kCrosstraffic);
  for (const LinkId link : memories) meet(link, memory_weight);

  const auto count = static_cast<std::uint32_t>(merged_.size());
  const std::uint32_t first = blocks_.take(count);
  usages.grow(blocks_.end());
  FlowId flow = static_cast<FlowId>(flows.size());
  if (free_flows_.empty()) {
    flows.emplace_back();
  } else {
    flow = free_flows_.back();
    free_flows_.pop_back();
  }
  flows[flow] = {.bound = bound, .penalty = penalty, .first_usage = first, .usage_count = count};
  double weight = 0.0;
  std::uint32_t number = kRareWeight;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (merged_[i].weight != weight) number = number_of_weight(weight = merged_[i].weight);
    if (number == kRareWeight) rare_weights_[first + i] = merged_[i].weight;
    usages[first + i] = {.link = merged_[i].link, .place = 0, .weight = number};
  }
  if (counts_crossings_) count_crossings_of(flow, 1);
  return flow;
}

std::uint32_t Incidence::number_of_weight(double weight) {
  for (std::uint32_t number = 0; number < weight_count_; ++number) {
    if (weights_[number] == weight) return number;
  }
  if (weight_count_ == kRareWeight) return kRareWeight;
  weights_[weight_count_] = weight;
  return weight_count_++;
}

void Incidence::count_crossings_of(FlowId flow, std::uint32_t change) {
  for (const Usage& usage : usages_of(flow)) {
    if (weight(usage) >= 1.0) counts_[usage.link] += change;  // the way back has a lower weight and does not count
  }
}

void Incidence::erase_flow(FlowId flow) {
  if (counts_crossings_) count_crossings_of(flow, ~std::uint32_t{0});
  flows[flow].takes_part = false;
  if (!rare_weights_.empty()) {
    for (std::uint32_t i = 0; i < flows[flow].usage_count; ++i) rare_weights_.erase(flows[flow].first_usage + i);
  }
  blocks_.give_back(flows[flow].first_usage, flows[flow].usage_count);
  free_flows_.push_back(flow);
}

bool Incidence::crosses(FlowId flow, LinkId link) const {
  const auto usages_here = usages_of(flow);
  return std::any_of(usages_here.begin(), usages_here.end(), [&](const Usage& usage) { return usage.link == link; });
}

void Incidence::prefetch_crossings(FlowId flow) const {
  const auto usages_here = usages_of(flow);
  for (const Usage& usage : usages_here) {
    __builtin_prefetch(&links[usage.link], 1);
    __builtin_prefetch(&crossings_[usage.link], 1);
  }
  for (const Usage& usage : usages_here) {
    const Crossings& crossings = crossings_[usage.link];
    const std::size_t place = flows[flow].takes_part ? usage.place : crossings.size();
    __builtin_prefetch(crossings.data() + place, 1);
  }
}

void Incidence::cross(FlowId flow, std::uint32_t usage) {
  Usage& self = usages[usage];
  std::vector<Crossing>& crossings = crossings_[self.link];
  self.place = static_cast<std::uint32_t>(crossings.size());
  crossings.push_back({flow, usage});
  SharedLink& link = links[self.link];
  ++link.flows;
  link.reach += flows[flow].usage_count;
}

void Incidence::leave(FlowId flow, std::uint32_t usage) {
  const Usage& self = usages[usage];
  std::vector<Crossing>& crossings = crossings_[self.link];
  crossings[self.place].flow = kNone;
  SharedLink& link = links[self.link];
  const std::uint32_t left = --link.flows;
  link.reach -= flows[flow].usage_count;
  while (!crossings.empty() && crossings.back().flow == kNone) crossings.pop_back();
  if (crossings.empty() && crossings.capacity() > kKept) std::vector<Crossing>().swap(crossings);
  if (crossings.size() - left <= left / kMostLeft) return;
  std::erase_if(crossings, [](const Crossing& crossing) { return crossing.flow == kNone; });
  for (std::uint32_t place = 0; place < left; ++place) usages[crossings[place].usage].place = place;
}

}  // namespace pysmpi
