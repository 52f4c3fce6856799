// A table of the routes that a description lists, by source and destination.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "platform/zone.hpp"

namespace pysmpi {

struct ListedRoute {
  std::uint32_t source;
  std::uint32_t destination;
  std::uint32_t first_hop;
  std::uint32_t hop_count;
  Gateways gateways;
};

class RouteTable {
 public:
  // Returns false if the table already has a route from `source` to `destination`.
  bool add(std::uint32_t source, std::uint32_t destination, std::span<const Hop> hops, const Gateways& gateways) {
    const auto index = static_cast<std::uint32_t>(routes_.size());
    if (!index_.emplace(key(source, destination), index).second) return false;
    routes_.push_back({source, destination, static_cast<std::uint32_t>(hops_.size()),
                       static_cast<std::uint32_t>(hops.size()), gateways});
    hops_.insert(hops_.end(), hops.begin(), hops.end());
    return true;
  }

  const ListedRoute* find(std::uint32_t source, std::uint32_t destination) const {
    const auto found = index_.find(key(source, destination));
    return found == index_.end() ? nullptr : &routes_[found->second];
  }

  std::span<const Hop> hops(const ListedRoute& route) const {
    return std::span(hops_).subspan(route.first_hop, route.hop_count);
  }

  const std::vector<ListedRoute>& all() const { return routes_; }  // in the order of the description

 private:
  static std::uint64_t key(std::uint32_t source, std::uint32_t destination) {
    return std::uint64_t{source} << 32 | destination;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<ListedRoute> routes_;
  std::vector<Hop> hops_;
};

}  // namespace pysmpi
