// Attribution of flows' rates to the links that limit them.
#include "instrumentation/profile/bottlenecks.hpp"

#include "network/incidence.hpp"

namespace pysmpi {

namespace {

constexpr double kRounding = 1e-6;

// Return whether a flow's bytes cross the link. Traffic in the backward direction does not count; it uses the link with
// a weight of 5 %.
bool carries_bytes(const Incidence& graph, const Usage& usage) { return graph.weight(usage) >= 1.0; }

// Return the saturated link that limits the flow: of the saturated links on its route, the one that became full at the
// lowest water-filling level (network/sharing.hpp). Returns kNone if no link of the route is saturated.
LinkId full_link(const Incidence& graph, FlowId flow) {
  double lowest = graph.flows[flow].level() * (1 + kRounding);
  LinkId found = kNone;
  for (const Usage& usage : graph.usages_of(flow)) {
    const double saturation = graph.links[usage.link].saturation;
    if (!carries_bytes(graph, usage) || saturation > lowest) continue;
    lowest = saturation;
    found = usage.link;
  }
  return found;
}

}  // namespace

LinkId Bottlenecks::narrowest(const Incidence& graph, FlowId flow) const {
  LinkId found = kNone;
  for (const Usage& usage : graph.usages_of(flow)) {
    if (!carries_bytes(graph, usage)) continue;
    if (found == kNone || graph.links[usage.link].capacity < graph.links[found].capacity ||
        (graph.links[usage.link].capacity == graph.links[found].capacity &&
         links_[usage.link].flows > links_[found].flows)) {
      found = usage.link;
    }
  }
  // A flow that gets less than this fraction of its narrowest link's capacity is limited by the TCP window and not by
  // the link, because all bandwidth factors of SMPI are larger.
  constexpr double kLeast = 0.3;
  return found != kNone && graph.flows[flow].rate >= kLeast * graph.links[found].capacity ? found : kNone;
}

void Bottlenecks::flow_moves(double now, const Incidence& graph, FlowId id) {
  if (id >= flows_.size()) flows_.resize(id + 1);
  if (links_.size() < graph.links.size()) links_.resize(graph.links.size());
  Flow& flow = flows_[id];
  if (!flow.moves) {
    flow = {};
    flow.moves = true;
    for (const Usage& usage : graph.usages_of(id)) links_[usage.link].flows += carries_bytes(graph, usage);
  }
  const LinkId holder = full_link(graph, id);
  flow.held = holder != kNone;
  flow.limited_by = flow.held ? holder : narrowest(graph, id);
  if (!flow.held) return;
  Link& link = links_[holder];
  if (link.holds++ == 0) link.since = now;
}

void Bottlenecks::flow_moved(const Incidence& graph, FlowId id, double begun, double until, double rate) {
  if (id >= flows_.size() || !flows_[id].moves) return;
  Flow& flow = flows_[id];
  const double seconds = until - begun;
  for (const Usage& usage : graph.usages_of(id)) links_[usage.link].bytes += rate * seconds * graph.weight(usage);
  if (flow.limited_by == kNone) return;
  if (flow.held) {
    Link& link = links_[flow.limited_by];
    link.flow_seconds += seconds;
    if (--link.holds == 0) link.saturated += until - link.since;
  }
  // If several links limit the flow one after the other, keep the link that limits it most of the time (majority vote
  // of Boyer and Moore).
  if (flow.longest.link == flow.limited_by) {
    flow.longest.seconds += seconds;
  } else if (seconds > flow.longest.seconds) {
    flow.longest = {flow.limited_by, seconds - flow.longest.seconds};
  } else {
    flow.longest.seconds -= seconds;
  }
  flow.limited_by = kNone;
  flow.held = false;
}

Bottlenecks::Limit Bottlenecks::limit(FlowId id) {
  if (id >= flows_.size() || !flows_[id].moves) return {};
  flows_[id].moves = false;
  return flows_[id].longest;
}

}  // namespace pysmpi
