// Flows over links: the fluid network. A flow first pays its latency, then moves its bytes at the rate that weighted
// max-min fairness gives it, and is finished. The engine asks for the next event, jumps there, and lets the network
// settle everything that happens at that time with one solve.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/types.hpp"

namespace pysmpi {

enum class SharingPolicy : std::uint8_t { kShared, kFatpipe };

struct NetworkCounters {
  std::uint64_t flows = 0;          // started
  std::uint64_t solves = 0;         // of the sharing, when a full link was concerned
  std::uint64_t flows_touched = 0;  // rates recomputed, over all solves
  std::uint64_t links_touched = 0;
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
  // next_event(), those with a lower `order` come first, then those started first.
  FlowId start(double now, std::span<const LinkId> route, std::span<const LinkId> back_route, double latency,
               double size, std::uint32_t token, std::uint64_t order = 0);

  // For routings that go by load; to be asked for when all links are there and before the first flow. Then, how long a
  // byte takes on the link when all flows on it, and one more, share it evenly, in seconds. Flows count from their
  // start, also while they pay their latency.
  void measure_loads();
  double load_with_one_more(LinkId link) const;

  void cancel(double now, FlowId flow);

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

  const NetworkCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pysmpi
