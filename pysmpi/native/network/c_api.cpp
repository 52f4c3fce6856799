// C interface to a network that runs without the engine.
#include "network/c_api.h"

#include <algorithm>
#include <vector>

#include "network/network.hpp"
#include "network/packets/packet_network.hpp"
#include "network/traffic.hpp"
#include "platform/platform.hpp"

struct pysmpi_network {
  pysmpi::Network network;
  std::vector<std::uint32_t> tokens;
};

struct pysmpi_packets final : pysmpi::PacketNetwork::Owner {
  struct Sent {
    pysmpi::WayId way;
    std::uint32_t bytes;
  };

  pysmpi_packets(std::uint32_t channels, double room) : network(channels, {room, room, room}, *this) {}
  void packet_left(double, std::uint32_t) override {}
  pysmpi::ChosenWay choose_way(double, std::uint32_t number, std::uint32_t) override { return {sent[number].way, 0}; }
  void packet_arrived(double now, std::uint32_t number) override { arrivals[number] = now; }
  void alarm(double now, std::uint32_t number) override {
    network.inject(now, sent[number].way, sent[number].bytes, number);
    network.leave_way(sent[number].way);
  }

  pysmpi::PacketNetwork network;
  std::vector<Sent> sent;
  std::vector<double> arrivals;
};

namespace {

uint32_t write(const std::vector<std::uint32_t>& tokens, uint32_t* out, uint32_t capacity) {
  const auto count = static_cast<uint32_t>(tokens.size());
  std::copy_n(tokens.begin(), std::min(count, capacity), out);
  return count;
}

}  // namespace

pysmpi_network* pysmpi_network_create() {
  auto* network = new pysmpi_network;
  network->network.expect_changes();
  return network;
}

void pysmpi_network_destroy(pysmpi_network* network) { delete network; }

uint32_t pysmpi_network_add_link(pysmpi_network* network, double bandwidth, int32_t fatpipe) {
  return network->network.add_link(bandwidth,
                                   fatpipe ? pysmpi::SharingPolicy::kFatpipe : pysmpi::SharingPolicy::kShared);
}

uint32_t pysmpi_network_start(pysmpi_network* network, double now, const uint32_t* route, uint32_t route_links,
                              const uint32_t* back_route, uint32_t back_route_links, double latency, double size,
                              uint32_t token, uint64_t order) {
  return network->network.start(now, {route, route_links}, {back_route, back_route_links}, latency, size, token, order);
}

void pysmpi_network_cancel(pysmpi_network* network, double now, uint32_t flow) { network->network.cancel(now, flow); }

double pysmpi_network_remaining(const pysmpi_network* network, double now, uint32_t flow) {
  return network->network.remaining(now, flow);
}

double pysmpi_network_rate(const pysmpi_network* network, uint32_t flow) { return network->network.rate(flow); }

double pysmpi_network_next_event(pysmpi_network* network, double now) { return network->network.next_event(now); }

int32_t pysmpi_network_set_bandwidth(pysmpi_network* network, uint32_t link, double bandwidth, double date) {
  return network->network.set_bandwidth(link, bandwidth, date);
}

int32_t pysmpi_network_change_latency(pysmpi_network* network, uint32_t link, double by) {
  return network->network.change_latency(link, by);
}

int32_t pysmpi_network_set_state(pysmpi_network* network, uint32_t link, int32_t on, double date) {
  return network->network.set_state(link, on != 0, date);
}

uint32_t pysmpi_network_take_failed(pysmpi_network* network, uint32_t* failed, uint32_t capacity) {
  std::vector<pysmpi::FailedFlow> flows;
  network->network.take_failed(flows);
  network->tokens.clear();
  for (const pysmpi::FailedFlow& flow : flows) network->tokens.push_back(flow.token);
  return write(network->tokens, failed, capacity);
}

void pysmpi_network_always_group(pysmpi_network* network) { network->network.always_group(); }

uint32_t pysmpi_network_settle(pysmpi_network* network, double now, uint32_t* finished, uint32_t capacity) {
  network->tokens.clear();
  network->network.settle(now, network->tokens);
  return write(network->tokens, finished, capacity);
}

void pysmpi_network_read_counters(const pysmpi_network* network, pysmpi_network_counters* out) {
  const pysmpi::NetworkCounters& counters = network->network.counters();
  *out = {counters.flows, counters.solves, counters.flows_touched, counters.links_touched};
}

pysmpi_packets* pysmpi_packets_create(uint32_t channels, double room) {
  return new pysmpi_packets(channels, room > 0 ? room : pysmpi::kNever);
}

void pysmpi_packets_destroy(pysmpi_packets* packets) { delete packets; }

uint32_t pysmpi_packets_add_cable(pysmpi_packets* packets, double bandwidth, double latency) {
  return packets->network.add_cable(bandwidth, latency, true);
}

uint32_t pysmpi_packets_send(pysmpi_packets* packets, double time, const uint32_t* cables, const uint32_t* channels,
                             uint32_t hops, uint32_t bytes) {
  std::vector<std::uint32_t> way;
  for (uint32_t i = 0; i < hops; ++i) way.push_back(packets->network.hop(cables[i], channels[i]));
  const auto number = static_cast<uint32_t>(packets->sent.size());
  packets->sent.push_back({packets->network.add_way(way), bytes});
  packets->network.set_alarm(time, number);
  return number;
}

uint32_t pysmpi_packets_run(pysmpi_packets* packets, double* arrivals) {
  packets->arrivals.assign(packets->sent.size(), pysmpi::kNever);
  while (packets->network.next_time() < pysmpi::kNever) packets->network.process_next();
  std::copy(packets->arrivals.begin(), packets->arrivals.end(), arrivals);
  return static_cast<uint32_t>(packets->network.arrived());
}

uint64_t pysmpi_packets_crossings(const pysmpi_packets* packets) { return packets->network.crossings(); }

double pysmpi_packets_held(const pysmpi_packets* packets, uint32_t cable) {
  return packets->network.bytes_held(pysmpi::kNever, cable);
}

void pysmpi_carry_traffic(const uint32_t* destinations, uint64_t messages, uint32_t under_way, double bytes,
                          uint64_t seed, pysmpi_traffic* out) {
  const pysmpi::Platform& platform = *pysmpi::current_platform();
  const std::size_t given = destinations != nullptr ? platform.host_count() : 0;
  const pysmpi::TrafficOutcome outcome =
      pysmpi::carry_traffic(platform, {{destinations, given}, messages, under_way, bytes, seed});
  *out = {outcome.sent, outcome.arrived, outcome.seconds, outcome.rate};
}
