// SimGrid's routing "Cluster": every host has its own links up to the middle of a star and down from there.
#pragma once

#include <span>
#include <vector>

#include "platform/zone.hpp"

namespace pysmpi {

class StarZone : public Zone {
 public:
  using Zone::Zone;

  void set_ways(std::uint32_t member, std::span<const Hop> up, std::span<const Hop> down);
  // Returns false if the member already has a loopback.
  bool set_loopback(std::uint32_t member, std::span<const Hop> hops);

  // A link on both the source's way up and the destination's way down is crossed once. A member without ways is in the
  // middle of the star.
  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 private:
  struct Ways {
    std::vector<Hop> up, down, loopback;
  };
  Ways& ways_of(std::uint32_t member);

  std::vector<Ways> ways_;
};

}  // namespace pysmpi
