// Zones, which form the tree of a platform. The members of a leaf zone are hosts and routers; the members of an inner
// zone are zones. Each zone computes the routes between its own members; ZonedPlatform joins them across zones.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

using ZoneId = std::uint32_t;

// A member of a zone, at which a route may begin or end. Members are numbered in the order of the description.
struct Point {
  ZoneId zone = kNone;
  std::uint32_t local = 0;
  bool operator==(const Point&) const = default;
};

// The hosts or routers at which a route leaves one zone and enters another.
struct Gateways {
  Point source;
  Point destination;
};

// A link of a route with the latency that it adds. Latencies are added one by one in SimGrid's order, so that the sums
// equal SimGrid's to the last bit.
struct Hop {
  LinkId link;
  double latency;
  void append_to(Route& route) const {
    route.links.push_back(link);
    route.latency += latency;
  }
};

class Zone {
 public:
  Zone(std::string name, Point place, std::uint32_t depth) : name_(std::move(name)), place_(place), depth_(depth) {}
  virtual ~Zone() = default;
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

  // Appends the links between two members and adds their latencies. If the members are zones, sets the gateways too.
  // Returns false if no route exists.
  virtual bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const = 0;

  // Completes the zone. `loopback` is the link from a member to itself if the description names none.
  virtual void seal(LinkId /*loopback*/) {}

  const std::string& name() const { return name_; }
  Point place() const { return place_; }          // the zone as a member of its parent; zone kNone for the root
  std::uint32_t depth() const { return depth_; }  // 0 for the root
  std::uint32_t members() const { return members_; }
  bool has_zones() const { return has_zones_; }

  std::uint32_t add_member() { return members_++; }
  std::uint32_t add_zone() {
    has_zones_ = true;
    return members_++;
  }

 protected:
  void set_members(std::uint32_t count) { members_ = count; }

 private:
  std::string name_;
  Point place_;
  std::uint32_t depth_;
  std::uint32_t members_ = 0;
  bool has_zones_ = false;
};

}  // namespace pysmpi
