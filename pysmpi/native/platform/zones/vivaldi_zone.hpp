// SimGrid's routing "Vivaldi": a star whose members have coordinates, which give the latency between any two of them.
#pragma once

#include <vector>

#include "platform/zones/star_zone.hpp"

namespace pysmpi {

// Coordinates in milliseconds: a point in a plane, and the height of the access link (Dabek, Cox, Kaashoek, Morris,
// SIGCOMM 2004).
struct Coordinates {
  double x = 0, y = 0, height = 0;
};

class VivaldiZone final : public StarZone {
 public:
  using StarZone::StarZone;

  void set_coordinates(std::uint32_t member, const Coordinates& coordinates);

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 private:
  std::vector<Coordinates> coordinates_;  // indexed by member
};

}  // namespace pysmpi
