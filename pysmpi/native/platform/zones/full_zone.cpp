// Routes that the platform description lists, and the network model's link from a host to itself.
#include "platform/zones/full_zone.hpp"

#include "base/options.hpp"

namespace pysmpi {

bool RoutedZone::append_loopback(Route& out) const {
  Hop{loopback_, options().loopback_latency}.append_to(out);
  return true;
}

bool FullZone::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const {
  const ListedRoute* route = routes_.find(source, destination);
  if (route == nullptr) return source == destination && has_loopback() && append_loopback(out);
  gateways = route->gateways;
  for (const Hop& hop : routes_.hops(*route)) hop.append_to(out);
  return true;
}

}  // namespace pysmpi
