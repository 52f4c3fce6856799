// Bytes of a set of messages by link, without simulating.
#include "platform/lower_bound.hpp"

namespace pysmpi {

std::size_t add_link_bytes(const Platform& platform, const MessageSet& messages, std::uint32_t draws,
                           std::span<double> link_bytes) {
  const std::uint32_t routes = platform.has_varying_routes() ? draws : 1;
  const double part = 1.0 / routes;
  const bool one_size = messages.sizes.size() == 1;
  Route route;
  route.without_choices = platform.routes_by_load();
  for (std::size_t i = 0; i < messages.sources.size(); ++i) {
    const double bytes = messages.sizes[one_size ? 0 : i] * part;
    for (std::uint32_t draw = 0; draw < routes; ++draw) {
      route.message = (messages.first_message + i) * routes + draw;
      if (!platform.route(messages.sources[i], messages.destinations[i], route)) {
        // Without its choices, a route may have no link left. A host without a loopback reaches itself over no link.
        if (messages.sources[i] == messages.destinations[i]) break;
        Route whole;
        if (!route.without_choices || !platform.route(messages.sources[i], messages.destinations[i], whole)) return i;
        break;
      }
      for (const LinkId link : route.links) link_bytes[link] += bytes;
    }
  }
  return messages.sources.size();
}

LinkId busiest_link(const Platform& platform, std::span<const double> link_bytes, double& seconds) {
  LinkId busiest = kNone;
  seconds = 0.0;
  for (LinkId link = 0; link < link_bytes.size(); ++link) {
    if (link_bytes[link] <= 0.0 || platform.link_policy(link) != SharingPolicy::kShared) continue;
    const double needed = link_bytes[link] / platform.link_bandwidth(link);
    if (needed > seconds) {
      seconds = needed;
      busiest = link;
    }
  }
  return busiest;
}

}  // namespace pysmpi
