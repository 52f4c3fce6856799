// The fluid network: flows over links. A flow first pays its latency, then moves its bytes at its weighted max-min fair
// rate until none are left. The engine asks for the next event, advances the clock to it, and lets the network settle
// all events of that time with one solve.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

struct NetworkCounters {
  std::uint64_t flows = 0;          // number of flows started
  std::uint64_t solves = 0;         // number of solves of the sharing that involved a full link
  std::uint64_t flows_touched = 0;  // number of rates computed again, summed over all solves
  std::uint64_t links_touched = 0;
};

// A flow that failed because a link of its route is off.
struct FailedFlow {
  std::uint32_t token;
  LinkId link;  // the link that was off
};

// End points of a flow, needed by network/model:IB and by the options fabric/….
struct FlowEnds {
  HostId source = kNone, destination = kNone;

  // Return whether both ends are the same host.
  bool inside() const { return source == destination && source != kNone; }
};

// Terms of a flow through hosts, which are memories and network cards. A byte that the flow delivers takes a byte of
// each of these links, whatever the bandwidth factor is.
struct NodeTerms {
  std::span<const LinkId> links;
  std::span<const double> capacities;  // highest capacity that each of `links` can have, in bytes/s
  // If `bandwidth` is above 0, the flow begins to move after `latency` seconds and moves at most `bandwidth` bytes/s.
  // These two then replace the latency of the route, network/TCP-gamma and all factors.
  double latency = 0.0;
  double bandwidth = 0.0;
  double wait = 0.0;        // seconds that are added to the latency
  std::uint32_t cards = 1;  // number of network cards that have the route's bandwidth together; the flow uses one
  double slowdown = 1.0;    // factor by which the highest rate of the flow is divided
  double share = 1.0;       // bytes that the flow takes from each of `links` per byte that it delivers
};

class Network {
 public:
  Network();
  ~Network();

  // Add a link; links are numbered from 0. The bandwidth is in bytes/s. Takes constant time and a few dozen bytes.
  LinkId add_link(double bandwidth, SharingPolicy policy);

  // Let the capacity of a shared link without flows follow the number of flows that move over it. The steps are sorted
  // by this number, begin with 1, and must outlive the network. Flows are then never in groups (always_group).
  void set_capacity_steps(LinkId link, std::span<const CapacityStep> steps);

  // Start a flow of `size` bytes, protocol overhead included, at time `now` over `route`. Returns its number, or kNone
  // if too many flows are under way. With cross traffic, each link of `back_route` also carries 5 % of the flow's rate.
  // `latency` is the route's plain latency in seconds; latency and bandwidth factors, network/TCP-gamma and
  // network/weight-S are applied here. `token` is returned when the flow ends. With an empty route and no latency, the
  // flow ends at the next settle(). Flows started between two calls of next_event() are processed by ascending `order`,
  // then in the order of these calls. `node` adds the memories and network cards of the hosts.
  FlowId start(double now, std::span<const LinkId> route, std::span<const LinkId> back_route, double latency,
               double size, std::uint32_t token, std::uint64_t order = 0, FlowEnds ends = {},
               const NodeTerms& node = {});

  // Return the exceeded limit on the number of events as text, or null if no limit was exceeded.
  const char* exhausted_by() const;

  // Enable load_with_one_more(), for routing by load; call it before the first flow. load_with_one_more() returns the
  // seconds that a byte takes on the link if its flows and one more share it evenly. Flows count from their start on,
  // even while they still pay their latency.
  void measure_loads();
  double load_with_one_more(LinkId link) const;
  double load(LinkId link) const;  // seconds that a byte takes if only the link's present flows share it

  // Remove a flow before its end; its number may be reused.
  void cancel(double now, FlowId flow);

  // Announce, before the first flow, that links will change. Flows then keep the values that are needed to apply the
  // changes.
  void expect_changes();

  // Changes of links during the simulation, with SimGrid 3.32's effects on flows (NetworkCm02Link). The penalty of a
  // moving flow is computed from the changed latency and bandwidths of its route, and its TCP window from the changed
  // latency. Two values stay as they were at the flow's start: the bound by the narrowest link's bandwidth, and the
  // latency to pay. A flow that still pays its latency gets the changes when it begins to move. The functions return
  // whether moving flows are affected. If moving flows are affected, the next call of next_event() solves the sharing
  // again, and the clock must then be at `date`.
  bool set_bandwidth(LinkId link, double bandwidth, double date);  // bytes/s, above zero
  bool change_latency(LinkId link, double by);                     // change in seconds
  // Turn a link off or on. When the link goes off, the flows on it fail unless all their bytes are moved by `date`.
  // Flows that start while the link is off fail too.
  bool set_state(LinkId link, bool on, double date);

  double bandwidth(LinkId link) const;       // bytes/s, at present
  double latency_change(LinkId link) const;  // change since the start of the simulation, in seconds

  // Remove the failed flows and append them to `failed`, in order of failure.
  void take_failed(std::vector<FailedFlow>& failed);
  bool has_failed() const;

  // Return the number of bytes that the flow still has to move at `now`. While the flow pays its latency, this is its
  // whole size.
  double remaining(double now, FlowId flow) const;

  // Return the delivery rate of the flow in bytes/s since the last solve; zero while it pays its latency.
  double rate(FlowId flow) const;

  // Solve the sharing where something changed since the last call. Return the absolute time of the next event, or
  // kNever.
  double next_event(double now);

  // Process every event due at `now` (within precision/timing): ends of latencies and ends of flows. Appends the tokens
  // of finished flows in order of time. Flows that end at the same time come in the order in which their ends were last
  // computed, as in SimGrid.
  void settle(double now, std::vector<std::uint32_t>& finished);

  // Keep the flows in groups, one for all flows that the same full link limits (network/clock_groups.hpp), whenever
  // possible, for tests. By default, the network uses groups if they reduce the work of its solves.
  void always_group();

  // Meter the use of links from now on; call it at the start of the simulation. Then load_seconds() returns for each
  // link the integral of its load until `now`, and seconds_off() returns the time that the link was off, both in
  // seconds.
  void meter_links();
  std::vector<double> load_seconds(double now) const;
  double seconds_off(LinkId link, double now) const;

  const NetworkCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pysmpi
