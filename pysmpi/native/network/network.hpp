// Flows over links: the fluid network. A flow first pays its latency, then moves its bytes at the rate that weighted
// max-min fairness gives it, and is finished. The engine asks for the next event, jumps there, and lets the network
// settle everything that happens at that time with one solve.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

struct NetworkCounters {
  std::uint64_t flows = 0;          // started
  std::uint64_t solves = 0;         // of the sharing, when a full link was concerned
  std::uint64_t flows_touched = 0;  // rates recomputed, over all solves
  std::uint64_t links_touched = 0;
};

struct FailedFlow {
  std::uint32_t token;
  LinkId link;  // that is off
};

// The hosts that a flow joins, which count under network/model:IB.
struct FlowEnds {
  HostId source = kNone, destination = kNone;
};

class Network {
 public:
  Network();
  ~Network();

  // Links are numbered from 0 in the order they are added. Bandwidth in bytes/s. Constant time, a few dozen bytes each.
  LinkId add_link(double bandwidth, SharingPolicy policy);

  // Starts a flow of `size` bytes (already with the protocol's envelope) at time `now` over `route`; with crosstraffic
  // each link of `back_route` also carries 5 % of its rate. `latency` is the route's plain latency: factors, TCP-gamma,
  // weight-S and bandwidth factors are applied here from options(). `token` comes back when it ends. When the route is
  // empty and the latency zero the flow ends at once (at the next settle()). Of the flows started between two calls of
  // next_event(), those with a lower `order` come first, then those started first. kNone when too many are under way.
  FlowId start(double now, std::span<const LinkId> route, std::span<const LinkId> back_route, double latency,
               double size, std::uint32_t token, std::uint64_t order = 0, FlowEnds ends = {});

  // What there has been too much of, in words, for events to be numbered; null: of nothing.
  const char* exhausted_by() const;

  // For routings that go by load; to be asked for before the first flow. Then, how long a byte takes on the link when
  // all flows on it, and one more, share it evenly, in seconds. Flows count from their start, also while they pay their
  // latency.
  void measure_loads();
  double load_with_one_more(LinkId link) const;

  void cancel(double now, FlowId flow);

  // Links will change: from now on flows keep what the changes need to know. Before the first flow.
  void expect_changes();

  // What happens to links during a simulation, and to the flows on them (SimGrid 3.32, NetworkCm02Link): the share of a
  // flow follows its route's latency and bandwidths, its TCP window the latency; the bandwidth that it found narrowest
  // as it started still bounds it, and the latency that it pays is the one it started with. A flow that still pays it
  // takes part with the terms of that time. Each says whether flows that move are concerned, which are solved by the
  // next next_event(): the clock is to be there by then.
  bool set_bandwidth(LinkId link, double bandwidth, double date);  // bytes/s, above zero
  bool change_latency(LinkId link, double by);                     // s
  // Off: the flows on it fail, but for those whose bytes are all there by `date`, and so do those that start later.
  bool set_state(LinkId link, bool on, double date);

  double latency_change(LinkId link) const;  // s, since the simulation began

  // Appends the flows that have failed, in the order in which they did; they are gone.
  void take_failed(std::vector<FailedFlow>& failed);
  bool has_failed() const;

  // Bytes that the flow has still to move at `now` (its whole size while it pays its latency).
  double remaining(double now, FlowId flow) const;

  // Bytes/s that the flow delivers since the last solve; zero while it pays its latency.
  double rate(FlowId flow) const;

  // Re-solves what changed since the last call (if anything) and returns the absolute time of the next event, or
  // kNever.
  double next_event(double now);

  // Handles every event due at `now` (within precision/timing): latencies paid, flows finished. Appends the tokens of
  // finished flows in the order (time, sequence of heap insertion), as SimGrid's stable heap does.
  void settle(double now, std::vector<std::uint32_t>& finished);

  // How much each link is used is metered from now on; as the simulation begins. Then, by link until `now`: the
  // integral of its load, in seconds (nothing of links that no flow has used), and for how long it has been off.
  void meter_links();
  std::vector<double> load_seconds(double now) const;
  double seconds_off(LinkId link, double now) const;

  const NetworkCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pysmpi
