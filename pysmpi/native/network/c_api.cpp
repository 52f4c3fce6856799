// C interface to a network that runs without the engine.
#include "network/c_api.h"

#include <algorithm>
#include <vector>

#include "network/network.hpp"

struct pysmpi_network {
  pysmpi::Network network;
  std::vector<std::uint32_t> tokens;
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
