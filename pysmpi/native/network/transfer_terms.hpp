// Terms of a flow: its delay, bound, penalty and factors, computed from message size and route as in SimGrid's models
// CM02, LV08 and SMPI.
#pragma once

#include <span>

#include "base/options.hpp"
#include "base/types.hpp"
#include "network/incidence.hpp"

namespace pysmpi {

struct TransferTerms {
  double delay;         // seconds until its bytes begin to move: the latency with its factor
  double bound;         // highest rate in bytes/s taken from links; negative without links and latency
  double penalty;       // seconds; a flow's share of a link is inversely proportional to its penalty
  double rate_factor;   // bytes delivered per byte taken from links
  double width;         // bandwidth of the narrowest link at the flow's start, in bytes/s; negative without links
  double route_weight;  // seconds; the penalty that is used after one of the route's links has changed
};

// Return the factors on the latency of a route by message size. `inside` is true if both ends are on the same host.
const SizeTable& latency_factors(bool inside);

// Return the highest rate in bytes/s that the TCP window allows on a route with this latency (s).
double tcp_bound(double latency);

// Compute the terms from the route's latency (seconds, without latency factor), the message size in bytes, and the
// options network/…, smpi/… and fabric/…. `inside` is true if both ends are on the same host.
TransferTerms transfer_terms(const Incidence& graph, std::span<const LinkId> route, double latency, double size,
                             bool inside);

// Add to the terms of a flow what `node` says of its hosts: memories, network cards, and a latency and bound that
// replace those of the route.
void add_node(const NodeTerms& node, TransferTerms& terms);

}  // namespace pysmpi
