// Computation of latencies from the coordinates of hosts, for SimGrid's routing "Vivaldi".
#include "platform/zones/vivaldi_zone.hpp"

#include <cmath>

namespace pysmpi {

void VivaldiZone::set_coordinates(std::uint32_t member, const Coordinates& coordinates) {
  if (member >= coordinates_.size()) coordinates_.resize(member + 1);
  coordinates_[member] = coordinates;
}

bool VivaldiZone::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const {
  if (!StarZone::local_route(source, destination, out, gateways)) return false;
  const Coordinates& from = coordinates_[source];
  const Coordinates& to = coordinates_[destination];
  const double x = from.x - to.x;
  const double y = from.y - to.y;
  const double milliseconds = std::sqrt(x * x + y * y) + std::fabs(from.height) + std::fabs(to.height);
  out.latency += milliseconds / 1000.0;
  return true;
}

}  // namespace pysmpi
