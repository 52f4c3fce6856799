// Explains the duration of one message alone on the network; the simulation's own carriers carry it.
#include <vector>

#include "base/options.hpp"
#include "network/c_api.h"
#include "network/models/delay_carrier.hpp"
#include "network/models/delay_terms.hpp"
#include "network/network.hpp"
#include "network/transfer_terms.hpp"

namespace pysmpi {
namespace {

// Run until the message arrives and return that time. Calls `at_event` at each event before that.
template <typename Carrying, typename AtEvent>
double run(Carrying& carrying, double now, AtEvent at_event) {
  std::vector<std::uint32_t> arrived;
  while (arrived.empty()) {
    const double next = carrying.next_event(now);
    if (next == kNever) return kNever;
    if (next > now) now = next;
    at_event();
    carrying.settle(now, arrived);
  }
  return now;
}

void explain_flow(const pysmpi_lone_message& message, pysmpi_lone_terms& out) {
  Network network;
  Incidence graph;
  for (std::uint32_t link = 0; link < message.links; ++link) {
    const SharingPolicy policy = message.fatpipes[link] != 0 ? SharingPolicy::kFatpipe : SharingPolicy::kShared;
    network.add_link(message.bandwidths[link], policy);
    graph.add_link(message.bandwidths[link], policy);
  }
  const std::span route(message.route, message.route_links);
  out.wire_bytes = message.bytes + kEnvelopeBytes;
  const TransferTerms terms = transfer_terms(graph, route, message.latency, out.wire_bytes);
  out.latency_factor = step_value(options().latency_factor, out.wire_bytes, 1.0);
  out.bandwidth_factor = terms.rate_factor;
  out.delay = terms.delay;
  out.bound = terms.bound;
  out.penalty = terms.penalty;
  out.window = tcp_bound(message.latency);
  out.leaves = message.sent;
  const FlowId flow = network.start(message.sent, route, {message.back_route, message.back_route_links},
                                    message.latency, out.wire_bytes, 0);
  out.arrives = run(network, message.sent, [&] { out.rate = network.rate(flow); });
}

void explain_delay(DelayCarrier& carrier, const pysmpi_lone_message& message, pysmpi_lone_terms& out) {
  const Parcel parcel{.source = 0,
                      .destination = 0,
                      .bytes = message.bytes,
                      .sent = message.sent,
                      .eager = message.eager != 0,
                      .message = 0,
                      .token = 0,
                      .order = 0};
  out.wire_bytes = message.bytes;
  out.leaves = carrier.ready(message.sent, parcel);
  carrier.start(message.sent, parcel);
  out.arrives = run(carrier, message.sent, [] {});
}

}  // namespace
}  // namespace pysmpi

void pysmpi_explain_message(const pysmpi_lone_message* message, pysmpi_lone_terms* out) {
  using namespace pysmpi;
  *out = {};
  if (options().network_model == NetworkModel::kConstant) {
    ConstantCarrier carrier;
    explain_delay(carrier, *message, *out);
    out->delay = constant_delay(message->bytes);
  } else if (options().network_model == NetworkModel::kLogGps) {
    LogGpsCarrier carrier;
    explain_delay(carrier, *message, *out);
    const LogGpsTerms terms = loggps_terms(message->bytes);
    out->delay = terms.latency;
    out->bytes_delay = terms.bytes;
  } else {
    explain_flow(*message, *out);
  }
}
