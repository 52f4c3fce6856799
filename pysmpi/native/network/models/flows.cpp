// Carrier and explanation of messages that are flows.
#include "network/models/flows.hpp"

#include <algorithm>
#include <span>

#include "base/options.hpp"
#include "network/link_numbers.hpp"
#include "network/network.hpp"
#include "network/node_ways.hpp"
#include "network/pair_links.hpp"
#include "network/transfer_terms.hpp"
#include "platform/platform.hpp"

namespace pysmpi {
namespace {

class FlowCarrier final : public Carrier {
 public:
  FlowCarrier(const Platform& platform, Network& network)
      : platform_(platform),
        network_(network),
        link_numbers_(platform, network),
        node_ways_(platform, network),
        pair_links_(network) {
    if (platform.routes_by_load()) network.measure_loads();
  }

  bool uses_links() const override { return true; }
  void read_links(double now, double* load_seconds, double* seconds_off) const override;
  LinkId number_of(LinkId link) const override { return link_numbers_.number(link); }
  HostLink part_of_host(LinkId number) const override { return node_ways_.part_of(number); }
  FlowId start(double now, const Parcel& parcel) override;
  bool shares_memory(HostId host) const override { return node_ways_.limits(host); }
  bool slows_forwarded() const override { return node_ways_.slows_forwarded(); }
  FlowId start_in_memory(double now, const Traffic& traffic) override;
  void cancel(double now, FlowId number) override { network_.cancel(now, number); }
  double next_event(double now, double /*until*/) override { return network_.next_event(now); }
  void settle(double now, std::vector<std::uint32_t>& arrived) override { network_.settle(now, arrived); }

 private:
  bool find_routes(const Parcel& parcel);  // sets both routes; returns false if one does not exist
  FlowId start_through_nodes(double now, const Parcel& parcel);
  void add_pair(const Parcel& parcel, NodeWays::Way& way);  // adds the link of the pair of ranks, if they have one

  const Platform& platform_;
  Network& network_;
  LinkNumbers link_numbers_;
  NodeWays node_ways_;
  PairLinks pair_links_;
  Route route_, back_route_;  // routes of the message being started; members only to reuse their memory
};

bool FlowCarrier::find_routes(const Parcel& parcel) {
  route_.message = back_route_.message = parcel.message;
  route_.loads = back_route_.loads = &link_numbers_;
  if (!platform_.route(parcel.source, parcel.destination, route_)) return false;
  back_route_.clear();
  if (options().crosstraffic && !platform_.route(parcel.destination, parcel.source, back_route_)) return false;
  link_numbers_.translate(route_.links);
  link_numbers_.translate(back_route_.links);
  return true;
}

FlowId FlowCarrier::start(double now, const Parcel& parcel) {
  if (node_ways_.any() || pair_links_.any() || parcel.more_latency > 0.0) return start_through_nodes(now, parcel);
  if (!find_routes(parcel)) return kNone;
  return network_.start(now, route_.links, back_route_.links, route_.latency, parcel.bytes + kEnvelopeBytes,
                        parcel.token, parcel.order, {parcel.source, parcel.destination});
}

void FlowCarrier::add_pair(const Parcel& parcel, NodeWays::Way& way) {
  double bandwidth = way.bandwidth;
  if (bandwidth <= 0.0) {
    bandwidth = kNever;
    for (const LinkId link : route_.links) bandwidth = std::min(bandwidth, network_.bandwidth(link));
    bandwidth *= step_value(options().bandwidth_factor, parcel.bytes + kEnvelopeBytes, 1.0) / way.cards;
  }
  const PairLinks::Link link = pair_links_.link_of(parcel, bandwidth);
  if (link.id == kNone) return;
  way.capacities[way.count] = link.capacity;
  way.links[way.count++] = link.id;
}

FlowId FlowCarrier::start_through_nodes(double now, const Parcel& parcel) {
  route_.clear();
  back_route_.clear();
  if (parcel.source != parcel.destination || node_ways_.step(parcel) == nullptr) {
    if (!find_routes(parcel)) return kNone;
  }
  NodeWays::Way way = node_ways_.way(now, parcel, route_.latency);
  if (pair_links_.any()) add_pair(parcel, way);
  NodeTerms node{.links = {way.links.data(), way.count},
                 .capacities = {way.capacities.data(), way.count},
                 .latency = way.latency,
                 .bandwidth = way.bandwidth,
                 .wait = way.more_latency + parcel.more_latency,
                 .cards = way.cards,
                 .slowdown = way.slowdown,
                 .share = way.share};
  const bool own = way.bandwidth > 0.0;  // the table's times include the envelope that a library adds
  const double bytes = own ? std::max(parcel.bytes, 1.0) : parcel.bytes + kEnvelopeBytes;
  // A message that shares nothing is a delay, because the sharing has only flows that cross links.
  if (own && route_.links.empty() && way.count == 0) node.latency += bytes / node.bandwidth * node.slowdown;
  return network_.start(now, route_.links, back_route_.links, route_.latency, bytes, parcel.token, parcel.order,
                        {parcel.source, parcel.destination}, node);
}

// The bandwidth of a memory counts a byte of a message once, although the byte is read and written (platform/node.hpp).
// For a computation, bytes that are read and bytes that are written count separately, so each takes half a byte of the
// link.
FlowId FlowCarrier::start_in_memory(double now, const Traffic& traffic) {
  constexpr double kPasses = 2.0;
  const NodeWays::Way way = node_ways_.way_of_traffic(traffic.host);
  return network_.start(now, {}, {}, 0.0, traffic.bytes / kPasses, traffic.token, traffic.order,
                        {traffic.host, traffic.host},
                        {.links = {way.links.data(), way.count},
                         .capacities = {way.capacities.data(), way.count},
                         .latency = 0.0,
                         .bandwidth = traffic.most / kPasses});
}

void FlowCarrier::read_links(double now, double* load_seconds, double* seconds_off) const {
  const std::vector<double> loads = network_.load_seconds(now);
  for (LinkId link = 0; link < platform_.link_count(); ++link) {
    const LinkId number = link_numbers_.number(link);
    load_seconds[link] = number < loads.size() ? loads[number] : 0.0;
    seconds_off[link] = number == kNone ? 0.0 : network_.seconds_off(number, now);
  }
}

const NetworkModelRegistration flows_registration({"flows", make_flow_carrier, explain_flow});

}  // namespace

std::unique_ptr<Carrier> make_flow_carrier(const Platform& platform, Network& network) {
  return std::make_unique<FlowCarrier>(platform, network);
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
  const FlowEnds ends{.source = 0, .destination = message.inside != 0 ? 0U : 1U};
  const TransferTerms terms = transfer_terms(graph, route, message.latency, out.wire_bytes, ends.inside());
  out.latency_factor = step_value(latency_factors(ends.inside()), out.wire_bytes, 1.0);
  out.bandwidth_factor = terms.rate_factor;
  out.delay = terms.delay;
  out.end_latency = overhead(ends.inside() ? options().loopback_end_latency : options().end_latency, out.wire_bytes);
  out.bound = terms.bound;
  out.penalty = terms.penalty;
  out.window = tcp_bound(message.latency);
  out.leaves = message.sent;
  const FlowId flow = network.start(message.sent, route, {message.back_route, message.back_route_links},
                                    message.latency, out.wire_bytes, 0, 0, ends);
  out.arrives = carry_alone(network, message.sent, [&] { out.rate = network.rate(flow); });
  out.transfer = out.arrives - (out.leaves + out.delay);
}

}  // namespace pysmpi
