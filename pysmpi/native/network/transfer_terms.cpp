// Computation of a flow's terms from the size of its message and its route.
#include "network/transfer_terms.hpp"

#include <algorithm>

#include "base/options.hpp"

namespace pysmpi {

const SizeTable& latency_factors(bool inside) {
  const Options& settings = options();
  const bool own = inside && !settings.loopback_latency_factor.empty();
  return own ? settings.loopback_latency_factor : settings.latency_factor;
}

double tcp_bound(double latency) {
  return latency > 0 && options().tcp_gamma > 0 ? options().tcp_gamma / (2 * latency) : kNever;
}

// The penalty is the latency plus the sum of network/weight-S / bandwidth over the links of the route (Velho, Schnorr,
// Casanova, Legrand, TOMACS 2013, equation 6). The TCP window limits the rate to network/TCP-gamma / (2 * latency)
// (RR-LIP-2002-40). The factors on latency and rate depend on the message size (Clauss et al., IPDPS 2011, section 5).
TransferTerms transfer_terms(const Incidence& graph, std::span<const LinkId> route, double latency, double size,
                             bool inside) {
  const Options& settings = options();
  const SizeTable& ends = inside ? settings.loopback_end_latency : settings.end_latency;
  const bool own_factor = inside && !settings.loopback_bandwidth_factor.empty();
  const SizeTable& factor = own_factor ? settings.loopback_bandwidth_factor : settings.bandwidth_factor;
  TransferTerms terms{.delay = latency * step_value(latency_factors(inside), size, 1.0) + overhead(ends, size),
                      .bound = -1.0,
                      .penalty = latency,
                      .rate_factor = step_value(factor, size, 1.0),
                      .width = -1.0,
                      .route_weight = 0.0};
  for (const LinkId id : route) {
    const double bandwidth = graph.links[id].capacity;
    terms.width = terms.width < 0 ? bandwidth : std::min(terms.width, bandwidth);
    terms.penalty += settings.weight_s / bandwidth;
  }
  terms.bound = terms.width;
  if (latency > 0) {
    const double window = tcp_bound(latency);
    terms.bound = terms.bound < 0 ? window : std::min(terms.bound, window);
  }
  terms.route_weight = terms.penalty;
  // In SimGrid, a flow without latency has the penalty 1. So does a flow here whose penalty would be zero, which
  // happens if only a fabric's latency delays it.
  if (terms.delay <= 0 || terms.penalty <= 0) terms.penalty = 1.0;
  return terms;
}

// Example with a memory of 21 GB/s and a bandwidth of 8 GB/s for one message: one message moves 8 GB/s, two move 8 GB/s
// each, and three move 7 GB/s each. The bound does not reduce what the memory carries. A bandwidth factor would do so:
// a flow with the factor 8/21 delivers 8 GB/s too, but takes the whole memory for it, and three flows deliver only 2.7
// GB/s each.
void add_node(const NodeTerms& node, TransferTerms& terms) {
  const bool own = node.bandwidth > 0;
  double penalty = terms.route_weight;
  if (own) {
    terms.delay = node.latency;
    terms.rate_factor = 1.0;
    terms.width = terms.width < 0 ? node.bandwidth : std::min(terms.width, node.bandwidth);
    terms.bound = terms.width;
  }
  terms.delay += node.wait;
  if (!own && node.cards > 1) {  // the route's bandwidth is that of all cards, of which a message uses one
    terms.width /= node.cards;
    terms.bound = std::min(terms.bound, terms.width);
  }
  terms.width /= node.slowdown;
  terms.bound /= node.slowdown;
  for (const double bandwidth : node.capacities) {
    const double widest =
        bandwidth / (terms.rate_factor * node.share);  // rate taken from the route if the flow has the memory alone
    terms.width = terms.width < 0 ? widest : std::min(terms.width, widest);
    terms.bound = terms.bound < 0 ? widest : std::min(terms.bound, widest);
    penalty += options().weight_s / bandwidth;
  }
  terms.route_weight = penalty;
  terms.penalty = penalty > 0 ? penalty : 1.0;
}

}  // namespace pysmpi
