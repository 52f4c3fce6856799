#include "network/transfer_terms.hpp"

#include <algorithm>

#include "engine/options.hpp"

namespace pysmpi {

// Penalty: latency plus weight-S over bandwidth along the route (Velho, Schnorr, Casanova, Legrand, TOMACS 2013,
// equation 6); window of TCP: gamma / (2 latency) (RR-LIP-2002-40); factors by size (Clauss et al., IPDPS 2011, section
// 5).
TransferTerms transfer_terms(const Incidence& graph, std::span<const LinkId> route, double latency, double size) {
  const Options& settings = options();
  TransferTerms terms{.delay = latency * step_value(settings.latency_factor, size, 1.0),
                      .bound = -1.0,
                      .penalty = latency,
                      .rate_factor = step_value(settings.bandwidth_factor, size, 1.0)};
  for (const LinkId id : route) {
    const double bandwidth = graph.links[id].capacity;
    terms.bound = terms.bound < 0 ? bandwidth : std::min(terms.bound, bandwidth);
    terms.penalty += settings.weight_s / bandwidth;
  }
  if (latency > 0) {
    const double window = settings.tcp_gamma / (2 * latency);
    terms.bound = terms.bound < 0 ? window : std::min(terms.bound, window);
  }
  if (terms.delay <= 0) terms.penalty = 1.0;  // what SimGrid gives to flows that take part from the start
  return terms;
}

}  // namespace pysmpi
