// What a message's size and route make of its flow, in SimGrid's models CM02, LV08 and SMPI.
#pragma once

#include <span>

#include "base/types.hpp"
#include "network/incidence.hpp"

namespace pysmpi {

struct TransferTerms {
  double delay;         // seconds until its bytes begin to move: the latency with its factor
  double bound;         // bytes/s taken from links at most; negative without links and latency
  double penalty;       // seconds; its share of a link is inverse to it
  double rate_factor;   // bytes delivered for each byte taken from links
  double width;         // bytes/s of its narrowest link as it starts; negative without links
  double route_weight;  // seconds; its penalty once a link of it changes
};

// Bytes/s that TCP's window lets through at most, over a route of this latency in seconds.
double tcp_bound(double latency);

// `latency`: of the route, in seconds, without factor. The network/… and smpi/… options apply.
TransferTerms transfer_terms(const Incidence& graph, std::span<const LinkId> route, double latency, double size);

}  // namespace pysmpi
