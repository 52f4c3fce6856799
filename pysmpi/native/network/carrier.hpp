// How messages get from host to host. The engine hands over a message that may leave, asks for the next event, jumps
// there, and is told which messages have arrived. Behind this stand flows that share links (FlowCarrier) and models in
// which a message takes the same time however many others there are (DelayCarrier).
#pragma once

#include <memory>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class Network;
class Platform;

// SMPI adds tag, destination and communicator to each message that becomes a flow.
inline constexpr double kEnvelopeBytes = 16.0;

// A message on its way.
struct Parcel {
  HostId source, destination;
  double bytes;           // of the program's data
  double sent;            // when the sender posted it
  bool eager;             // it leaves without waiting for its receive
  std::uint64_t message;  // its number in the order of posting: what routing at random depends on
  std::uint32_t token;    // comes back when it has arrived
  std::uint64_t order;    // of the messages that start between two calls of next_event(), those with a lower one come
                          // first, then those started first
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  virtual bool uses_links() const = 0;  // what happens to links matters

  // Of all links of the platform, once network.meter_links() has been called: the integral of their load until `now`,
  // and for how long they have been off, in seconds. To be asked only where uses_links().
  virtual void read_links(double now, double* load_seconds, double* seconds_off) const = 0;

  // The network's number of a link of the platform; kNone: no route has crossed it.
  virtual LinkId number_of(LinkId link) const = 0;

  // The message leaves at `now`. Its number, for cancel(); kNone when there is no way from source to destination.
  virtual FlowId start(double now, const Parcel& parcel) = 0;
  virtual void cancel(double now, FlowId number) = 0;

  // The absolute time of the next event, or kNever.
  virtual double next_event(double now) = 0;

  // Handles every event due at `now` (within precision/timing) and appends the tokens of the messages that have
  // arrived.
  virtual void settle(double now, std::vector<std::uint32_t>& arrived) = 0;
};

// The one that network/model asks for.
std::unique_ptr<Carrier> make_carrier(const Platform& platform, Network& network);

}  // namespace pysmpi
