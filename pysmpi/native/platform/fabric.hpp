// Clusters whose routes lead from node to node of a graph. The nodes are switches, or the hosts themselves. Between two
// nodes, one minimal walk and several detours exist. ClusterSettings::routing chooses among them.
#pragma once

#include "platform/cluster.hpp"
#include "platform/divider.hpp"
#include "platform/routing_choice.hpp"

namespace pysmpi {

class Fabric : public Cluster {
 public:
  using Cluster::Cluster;

  // A detour uses different channels before and after the node that it leads over.
  std::uint32_t channels() const override {
    return routing() == RoutingChoice::kOne ? minimal_channels() : 2 * minimal_channels();
  }

 protected:
  virtual std::uint32_t nodes() const = 0;

  // Appends the topology's minimal walk between two nodes. For each step, these are the limiter of the node that the
  // step leaves (a link that limits the node's total bandwidth, if it has one), and a cable.
  virtual void append_minimal(std::uint32_t from, std::uint32_t to, Route& out) const = 0;
  // Returns the number of virtual channels of minimal walks. A walk counts its channels from the route's current one.
  virtual std::uint32_t minimal_channels() const { return 1; }
  // Appends Valiant's walk, which leads over a node drawn at random.
  virtual void append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const;

  // Appends the walk that the routing chooses for a message between these hosts.
  virtual void append_walk(std::uint32_t from, std::uint32_t to, std::uint32_t source, std::uint32_t destination,
                           Route& out) const;

  // Returns the link of the cable in the direction from `from` to `to`. A cable leads up from the node with the lower
  // number.
  LinkId towards(std::uint32_t cable, std::uint32_t from, std::uint32_t to) const {
    return from < to ? up(cable) : down(cable);
  }
};

// A fabric whose nodes are the hosts.
class DirectFabric : public Fabric {
 public:
  using Fabric::Fabric;
  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  std::uint32_t nodes() const final { return host_count(); }
  std::string limiter_number(std::uint32_t index) const override { return std::to_string(index); }
  std::string cable_name(std::uint32_t from, std::uint32_t to) const {
    return name() + "_link_from_" + std::to_string(from) + "_to_" + std::to_string(to);
  }
};

// A fabric whose nodes are switches. The hosts are on all switches, or on the first ones, the same number on each. The
// cables of hosts are numbered before the cables between switches.
class SwitchedFabric : public Fabric {
 public:
  SwitchedFabric(std::string name, Point place, std::uint32_t depth, ClusterSettings settings,
                 std::uint32_t hosts_per_switch)
      : Fabric(std::move(name), place, depth, std::move(settings)), hosts_per_switch_(hosts_per_switch) {}

  bool local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways& gateways) const override;

 protected:
  std::uint32_t switches() const final { return nodes(); }
  std::uint32_t switch_of(std::uint32_t host) const { return hosts_per_switch_.quotient(host); }
  std::uint32_t hosts_per_switch() const { return hosts_per_switch_.divisor(); }
  void append_step(std::uint32_t from, LinkId link, Route& out) const {
    append_limiter(host_count() + from, out);
    append_cable(link, out);
  }

  std::string limiter_number(std::uint32_t index) const override;
  std::string host_cable_name(std::uint32_t host) const;
  std::string cable_name(std::uint32_t from, std::uint32_t to) const;

 private:
  Divider hosts_per_switch_;
};

}  // namespace pysmpi
