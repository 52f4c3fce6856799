// The simulated machine: hosts, links and the route between any two hosts. Python reads the description (XML, later
// others) and builds this through platform/c_api.h; routes are computed on demand, never tabulated for all pairs.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "platform/profile.hpp"
#include "platform/scaling.hpp"

namespace pysmpi {

// What routings ask that go by load: how long a byte takes on a link when all messages on it, and one more, share it
// evenly, in seconds.
class LinkLoads {
 public:
  virtual double load_with_one_more(LinkId link) const = 0;

 protected:
  ~LinkLoads() = default;
};

struct Route {
  std::vector<LinkId> links;
  double latency = 0.0;  // plain sum, seconds

  // What routings that choose go by: the number of the message, as another one may take another way, and the loads of
  // links (null: all are idle).
  std::uint64_t message = 0;
  const LinkLoads* loads = nullptr;

  // While a route across zones is put together: where the part being worked on begins, and links that come later.
  std::size_t begin = 0;
  std::vector<LinkId> set_aside;

  void clear() {
    links.clear();
    latency = 0.0;
    begin = 0;
    set_aside.clear();
  }
};

struct Host {
  std::string name;
  double speed;  // flop/s of one core, in the pstate it begins in
  std::int32_t cores;
};

struct Link {
  std::string name;
  double bandwidth;  // bytes/s
  double latency;    // s
  SharingPolicy policy;
};

struct DiskSettings {
  HostId host;             // that it belongs to
  double read_bandwidth;   // bytes/s
  double write_bandwidth;  // bytes/s
};

class Platform {
 public:
  virtual ~Platform() = default;
  virtual HostId host_count() const = 0;
  virtual Host host(HostId id) const = 0;  // by value: clusters make names as asked
  virtual double host_speed(HostId id) const = 0;
  virtual std::int32_t host_cores(HostId id) const = 0;
  virtual bool routes_by_load() const = 0;  // the network is to count the flows on its links
  virtual LinkId link_count() const = 0;
  virtual Link link(LinkId id) const = 0;              // by value, with its name made as asked
  virtual double link_bandwidth(LinkId id) const = 0;  // these three without making a name
  virtual double link_latency(LinkId id) const = 0;
  virtual SharingPolicy link_policy(LinkId id) const = 0;

  virtual const std::vector<DiskSettings>& disks() const = 0;  // in the order of the description

  virtual const Scaling& scaling() const = 0;  // in what links are described there is no more to be done

  // How hosts and links change, in the order of the description.
  virtual const std::vector<Profile>& profiles() const = 0;

  // The links from source to destination in order, cleared first; by which way `out` may have a say. Same host: its
  // loopback, or whatever way the zone's routing has to offer. False when there is no route: the description lists
  // none, or it has neither links nor latency (a host to itself in a torus without loopbacks).
  virtual bool route(HostId source, HostId destination, Route& out) const = 0;
};

// The platform to simulate on; null before one is installed (see platform/c_api.h).
Platform* current_platform();

}  // namespace pysmpi
