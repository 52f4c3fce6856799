#include "platform/cluster.hpp"

#include <algorithm>
#include <charconv>

namespace pysmpi {

void Radical::add(std::int64_t first, std::uint32_t count) {
  const auto index = static_cast<std::uint32_t>(ranges_.size());
  ranges_.push_back({first, size_, count});
  const auto place = std::upper_bound(by_first_.begin(), by_first_.end(), first,
                                      [this](std::int64_t value, std::uint32_t i) { return value < ranges_[i].first; });
  by_first_.insert(place, index);
  size_ += count;
}

std::int64_t Radical::number(std::uint32_t index) const {
  const auto range =
      std::upper_bound(ranges_.begin(), ranges_.end(), index,
                       [](std::uint32_t value, const Range& candidate) { return value < candidate.start; }) -
      1;
  return range->first + (index - range->start);
}

std::optional<std::uint32_t> Radical::index(std::int64_t number) const {
  const auto place = std::upper_bound(by_first_.begin(), by_first_.end(), number,
                                      [this](std::int64_t value, std::uint32_t i) { return value < ranges_[i].first; });
  if (place == by_first_.begin()) return std::nullopt;
  const Range& range = ranges_[*(place - 1)];
  const std::int64_t offset = number - range.first;
  if (offset >= range.count) return std::nullopt;
  return range.start + static_cast<std::uint32_t>(offset);
}

std::optional<std::uint32_t> Radical::common(const Radical& other) const {
  // Two sets of ranges meet where a range of one begins within a range of the other.
  for (const Range& range : ranges_) {
    if (other.index(range.first)) return range.start;
  }
  for (const Range& range : other.ranges_) {
    if (const auto own = index(range.first)) return own;
  }
  return std::nullopt;
}

Cluster::Cluster(std::string name, Point place, std::uint32_t depth, ClusterSettings settings)
    : Zone(std::move(name), place, depth), settings_(std::move(settings)) {
  set_members(host_count());
}

std::string Cluster::host_name(std::uint32_t host) const {
  return settings_.prefix + std::to_string(settings_.radical.number(host)) + settings_.suffix;
}

std::optional<std::uint32_t> Cluster::find_host(std::string_view name) const {
  if (!name.starts_with(settings_.prefix)) return std::nullopt;
  name.remove_prefix(settings_.prefix.size());
  if (!name.ends_with(settings_.suffix)) return std::nullopt;
  name.remove_suffix(settings_.suffix.size());
  if (name.empty() || (name.size() > 1 && name.front() == '0')) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return settings_.radical.index(number);
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

LinkSettings Cluster::plain_cable(double count) const {
  // SimGrid creates a cluster's cables as SHARED when they are not split, FATPIPE ones too.
  return {settings_.bandwidth * count, settings_.latency, SharingPolicy::kShared};
}

std::string Cluster::with_direction(std::string cable, std::uint32_t index) const {
  if (settings_.split_duplex) cable += index % 2 == 0 ? "_UP" : "_DOWN";
  return cable;
}

}  // namespace pysmpi
