// The numbers, names and links of hosts and cables, which are the same in all topologies.
#include "platform/cluster.hpp"

#include <algorithm>
#include <charconv>

namespace pysmpi {

Radical::Radical(std::vector<Run> runs) : runs_(std::move(runs)) {
  for (Run& run : runs_) {
    by_first_.push_back(static_cast<std::uint32_t>(by_first_.size()));
    run.start = size_;
    size_ += run.count;
  }
  std::sort(by_first_.begin(), by_first_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return runs_[a].first < runs_[b].first; });
}

std::int64_t Radical::number(std::uint32_t index) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), index,
                                      [](std::uint32_t value, const Run& run) { return value < run.start; });
  const Run& run = *(after - 1);
  return run.first + (index - run.start);
}

std::optional<std::uint32_t> Radical::index(std::int64_t number) const {
  const auto after = std::upper_bound(by_first_.begin(), by_first_.end(), number,
                                      [this](std::int64_t value, std::uint32_t i) { return value < runs_[i].first; });
  if (after == by_first_.begin()) return std::nullopt;
  const Run& run = runs_[*(after - 1)];
  const std::int64_t offset = number - run.first;
  if (offset >= run.count) return std::nullopt;
  return run.start + static_cast<std::uint32_t>(offset);
}

Cluster::Cluster(std::string name, Point place, std::uint32_t depth, ClusterSettings settings)
    : Zone(std::move(name), place, depth), settings_(std::move(settings)), routing_(settings_.routing) {
  set_members(host_count());
}

std::string Cluster::host_name(std::uint32_t host) const {
  return settings_.prefix + std::to_string(settings_.radical.number(host)) + settings_.suffix;
}

std::uint32_t Cluster::link_count() const { return loopbacks() + limiters() + cable_links(); }

void Cluster::place_links(LinkId first) {
  first_link_ = first;
  first_limiter_ = first_link_ + loopbacks();
  first_cable_ = first_limiter_ + limiters();
}

LinkSettings Cluster::link(std::uint32_t index) const {
  if (index < loopbacks()) return *settings_.loopback;
  index -= loopbacks();
  if (index < limiters()) return {settings_.limiter_bandwidth, 0.0, SharingPolicy::kShared};
  return cable_link(index - limiters());
}

std::string Cluster::link_name(std::uint32_t index) const {
  if (index < loopbacks()) return name() + "_link_" + std::to_string(settings_.radical.number(index)) + "_loopback";
  index -= loopbacks();
  if (index < limiters()) return name() + "_link_" + limiter_number(index) + "_limiter";
  return cable_link_name(index - limiters());
}

std::optional<std::uint32_t> Cluster::find_link(std::string_view wanted) const {
  const std::uint32_t count = link_count();
  if (count > 0 && link_name(count - 1) == wanted) return count - 1;
  const std::string beginning = name() + "_link_";
  if (!wanted.starts_with(beginning)) return std::nullopt;
  std::int64_t number = 0;
  const auto parsed = std::from_chars(wanted.data() + beginning.size(), wanted.data() + wanted.size(), number);
  const auto host = settings_.radical.index(number);
  if (parsed.ec != std::errc{} || !host) return std::nullopt;
  const std::uint32_t first_cable = loopbacks() + limiters();
  for (const std::uint32_t index :
       {*host, loopbacks() + *host, first_cable + *host * width(), first_cable + *host * width() + width() - 1}) {
    if (index < count && link_name(index) == wanted) return index;
  }
  return std::nullopt;
}

LinkSettings Cluster::plain_cable(double count) const {
  // In SimGrid, cables that are not split into two links (up and down) have the policy SHARED, even if the description
  // says FATPIPE.
  return {settings_.bandwidth * count, settings_.latency, SharingPolicy::kShared};
}

std::string Cluster::with_direction(std::string cable, std::uint32_t index) const {
  if (settings_.split_duplex) cable += index % 2 == 0 ? "_UP" : "_DOWN";
  return cable;
}

}  // namespace pysmpi
