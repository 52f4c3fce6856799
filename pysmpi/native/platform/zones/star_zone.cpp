// Routes in a star: the source's links up to the middle, then the destination's links down.
#include "platform/zones/star_zone.hpp"

#include <algorithm>

namespace pysmpi {

StarZone::Ways& StarZone::ways_of(std::uint32_t member) {
  if (member >= ways_.size()) ways_.resize(member + 1);
  return ways_[member];
}

void StarZone::set_ways(std::uint32_t member, std::span<const Hop> up, std::span<const Hop> down) {
  Ways& ways = ways_of(member);
  ways.up.assign(up.begin(), up.end());
  ways.down.assign(down.begin(), down.end());
}

bool StarZone::set_loopback(std::uint32_t member, std::span<const Hop> hops) {
  Ways& ways = ways_of(member);
  if (!ways.loopback.empty()) return false;
  ways.loopback.assign(hops.begin(), hops.end());
  return true;
}

bool StarZone::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways&) const {
  const std::size_t before = out.links.size();
  const auto append_new = [&](const std::vector<Hop>& hops) {
    for (const Hop& hop : hops) {
      const auto begin = out.links.begin() + static_cast<std::ptrdiff_t>(before);
      if (std::find(begin, out.links.end(), hop.link) == out.links.end()) hop.append_to(out);
    }
  };
  // The table ends with the last member that has ways up or down. Later members have none: they are in the middle of
  // the star.
  static const Ways kNoWays;
  const Ways& from = source < ways_.size() ? ways_[source] : kNoWays;
  const Ways& to = destination < ways_.size() ? ways_[destination] : kNoWays;
  if (source == destination && !from.loopback.empty()) {
    append_new(from.loopback);
    return true;
  }
  append_new(from.up);
  append_new(to.down);
  return true;
}

}  // namespace pysmpi
