// Closed-loop traffic over a carrier.
#include "network/traffic.hpp"

#include <vector>

#include "network/model.hpp"
#include "network/network.hpp"
#include "platform/platform.hpp"
#include "platform/routing_choice.hpp"

namespace pysmpi {

TrafficOutcome carry_traffic(const Platform& platform, const TrafficPlan& plan) {
  Network network;
  const std::unique_ptr<Carrier> carrier = make_carrier(platform, network);
  TrafficOutcome outcome;
  const HostId hosts = platform.host_count();
  double now = 0.0;
  const auto send = [&](HostId source) {
    HostId destination = source;
    if (!plan.destinations.empty()) {
      destination = plan.destinations[source];
    } else if (hosts > 1) {
      destination = Draw(plan.seed, source, 0, outcome.sent).below(hosts - 1);
      if (destination >= source) ++destination;
    }
    if (destination == source || outcome.sent == plan.messages) return;
    const Parcel parcel{.source = source,
                        .destination = destination,
                        .bytes = plan.bytes,
                        .sent = now,
                        .eager = true,
                        .message = outcome.sent,
                        .token = source,
                        .order = outcome.sent};
    if (carrier->start(now, parcel) != kNone) ++outcome.sent;
  };
  for (std::uint32_t i = 0; i < plan.under_way; ++i) {
    for (HostId host = 0; host < hosts; ++host) send(host);
  }

  std::vector<std::uint32_t> senders;
  double begin = 0.0;
  std::uint64_t before = 0, counted = 0;
  while (carrier->problem() == nullptr) {
    const double next = carrier->next_event(now, kNever);
    if (next == kNever) break;
    now = next;
    carrier->settle(now, senders);
    outcome.arrived += senders.size();
    for (const HostId host : senders) send(host);
    if (senders.empty()) continue;
    senders.clear();
    outcome.seconds = now;
    if (before == 0 && outcome.arrived * 10 >= plan.messages * 2) {
      before = outcome.arrived;
      begin = now;
    }
    if (outcome.arrived * 10 <= plan.messages * 8) counted = outcome.arrived;
    if (counted == outcome.arrived && now > begin && before > 0) {
      outcome.rate = static_cast<double>(counted - before) * plan.bytes / (now - begin);
    }
  }
  return outcome;
}

}  // namespace pysmpi
