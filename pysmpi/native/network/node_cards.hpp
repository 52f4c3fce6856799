// Network cards of hosts: how many messages a second they send and receive.
#pragma once

#include <algorithm>
#include <unordered_map>

#include "network/carrier.hpp"
#include "platform/node.hpp"

namespace pysmpi {

// A card handles one message after the other, each for NodeGroup::card_gap seconds: the gap g of LogP (Culler et al.,
// "LogP: Towards a Realistic Model of Parallel Computation", PPoPP 1993), for a host instead of a rank. A message that
// comes later than the gap after the one before does not wait. Example with a gap of 10 ns: of 32 messages that ranks
// of a host send at the same time, the last leaves 310 ns after the first.
class NodeCards {
 public:
  // Return the seconds that a message between two hosts waits for both cards. `latency` is the time (s) from one card
  // to the other. Messages reach the receiver's card in the order of these calls.
  double wait(double now, const Parcel& parcel, const NodeGroup* source, const NodeGroup* destination, double latency) {
    double waits = 0.0;
    if (source != nullptr) waits += pass(sending_[parcel.source], now, source->card_gap);
    if (destination != nullptr)
      waits += pass(receiving_[parcel.destination], now + waits + latency, destination->card_gap);
    return waits;
  }

 private:
  static double pass(double& free, double arrives, double gap) {
    const double waits = std::max(0.0, free - arrives);
    free = arrives + waits + gap;
    return waits;
  }

  std::unordered_map<HostId, double> sending_, receiving_;  // times (s) from which on the card can take a message
};

}  // namespace pysmpi
