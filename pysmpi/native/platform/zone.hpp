// Zones: the tree that a machine is described as. A leaf zone has hosts and routers as its members, an inner zone has
// zones. Each zone knows the routes between its own members; ZonedPlatform joins them across zones.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

using ZoneId = std::uint32_t;

// Where a route may begin or end: a member of a zone, numbered in the order of the description.
struct Point {
  ZoneId zone = kNone;
  std::uint32_t local = 0;
  bool operator==(const Point&) const = default;
};

// The hosts or routers by which a route between two zones leaves the one and enters the other.
struct Gateways {
  Point source;
  Point destination;
};

// A link on the way with the latency that it adds. Latencies are added one by one in SimGrid's order, so that sums are
// equal to its sums to the last bit.
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

  // Appends the links between two members and adds their latencies; between zones, tells the gateways too. False when
  // there is no route.
  virtual bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const = 0;

  // The zone is complete; `loopback` is the link by which a member reaches itself when the description names none.
  virtual void seal(LinkId /*loopback*/) {}

  const std::string& name() const { return name_; }
  Point place() const { return place_; }          // as a member of its parent; zone kNone for the root
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
