// Routes from host to host over a graph of switches or hosts, and the choice between minimal walks and detours.
#include "platform/fabric.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace pysmpi {

namespace {

// The cost of a walk, which UGAL compares: the number of its links times the highest load of a link. The load is the
// time that a byte takes on the link if the flows there and this one share it evenly. Only the loads of the first
// `known` links count, because a switch in UGAL-L does not see the others. Example: a walk of 2 links with 3 flows on
// the worst link costs 2 x 4; a detour of 4 idle links costs 4 x 1 and is taken.
double cost(std::span<const LinkId> links, std::size_t known, const LinkLoads& loads) {
  double load = 0.0;
  for (const LinkId link : links.first(std::min(links.size(), known))) {
    load = std::max(load, loads.load_with_one_more(link));
  }
  return load * static_cast<double>(links.size());
}

}  // namespace

void Fabric::append_detour(std::uint32_t from, std::uint32_t to, Draw& draw, Route& out) const {
  const std::uint32_t middle = draw.below(nodes());
  append_minimal(from, middle, out);
  out.use_channel(minimal_channels());
  append_minimal(middle, to, out);
}

void Fabric::append_walk(std::uint32_t from, std::uint32_t to, std::uint32_t source, std::uint32_t destination,
                         Route& out) const {
  if (routing() == RoutingChoice::kOne || from == to) return append_minimal(from, to, out);
  Draw draw = draw_for(source, destination, out);
  if (routing() == RoutingChoice::kValiant) return append_detour(from, to, draw, out);
  out.choice = out.links.size();
  if (out.without_choices) return;

  const std::size_t begin = out.links.size();
  const double latency = out.latency;
  append_minimal(from, to, out);
  const std::size_t middle = out.links.size();
  if (out.loads == nullptr) return;
  const double minimal_latency = std::exchange(out.latency, latency);
  out.use_channel(0);
  append_detour(from, to, draw, out);
  const std::span<const LinkId> links(out.links);
  std::size_t known = links.size();
  if (routing() == RoutingChoice::kUgalLocal) known = has_limiter() ? 2 : 1;  // the limiter is the same on all walks
  const double minimal = cost(links.subspan(begin, middle - begin), known, *out.loads);
  if (minimal <= cost(links.subspan(middle), known, *out.loads)) {
    out.erase(middle, out.links.size());
    out.latency = minimal_latency;
  } else {
    out.erase(begin, middle);
  }
}

bool DirectFabric::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways&) const {
  if (source == destination && has_loopback()) {
    append_loopback(source, out);
    return true;
  }
  append_walk(source, destination, source, destination, out);
  append_limiter(destination, out);
  return true;
}

bool SwitchedFabric::local_route(std::uint32_t source, std::uint32_t destination, Route& out, Gateways&) const {
  if (source == destination && has_loopback()) {
    append_loopback(source, out);
    return true;
  }
  append_limiter(source, out);
  append_cable(up(source), out);
  append_walk(switch_of(source), switch_of(destination), source, destination, out);
  append_limiter(host_count() + switch_of(destination), out);
  append_cable(down(destination), out);
  append_limiter(destination, out);
  return true;
}

std::string SwitchedFabric::limiter_number(std::uint32_t index) const {
  return index < host_count() ? std::to_string(index) : "switch_" + std::to_string(index - host_count());
}

std::string SwitchedFabric::host_cable_name(std::uint32_t host) const {
  return name() + "_link_from_host_" + std::to_string(host) + "_to_switch_" + std::to_string(switch_of(host));
}

std::string SwitchedFabric::cable_name(std::uint32_t from, std::uint32_t to) const {
  return name() + "_link_from_switch_" + std::to_string(from) + "_to_switch_" + std::to_string(to);
}

}  // namespace pysmpi
