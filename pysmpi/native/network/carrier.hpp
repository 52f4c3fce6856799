// Carriers move messages from host to host. The engine hands over a message, asks for the time of the next event,
// advances the clock to it, and receives the messages that have arrived. There are three kinds: flows that share links
// (FlowCarrier), packets that queue for cables and for room in buffers (PacketCarrier), and models in which other
// messages do not influence a message's duration (DelayCarrier).
#pragma once

#include <memory>
#include <vector>

#include "base/types.hpp"
#include "platform/node.hpp"

namespace pysmpi {

class Network;
class PacketMeter;
class Platform;
struct PacketUse;

// Bytes that SMPI adds to each message that becomes a flow, for tag, destination and communicator.
inline constexpr double kEnvelopeBytes = 16.0;

// A message that a carrier moves from host to host.
struct Parcel {
  HostId source, destination;
  std::uint32_t source_core = 0, destination_core = 0;  // the ranks' cores; 0 unless platform/node-model is on
  // Number of other ranks that wait inside MPI on the source or on the destination: the greater of these two numbers.
  std::uint32_t waiting = 0;
  bool forwarded = false;     // the sender has received these data before; false unless slows_forwarded()
  double bytes;               // size of the program's data
  double more_latency = 0.0;  // seconds that are added to the latency
  double sent;                // time at which the sender posted it
  bool eager;                 // whether it leaves before its receive is posted
  std::uint64_t message;      // number of the message in order of posting, which random routing uses
  std::uint32_t token;        // returned on arrival
  // Position among the messages that start before the next call of next_event(): messages with lower values start
  // first, those with equal values in the order of the calls of start().
  std::uint64_t order;
};

// Memory traffic of a computation: `bytes` bytes of a host's memory are read or written, at most `most` a second.
struct Traffic {
  HostId host;
  double bytes;
  double most;
  std::uint32_t token;  // returned when all are moved
  std::uint64_t order;  // position among the messages and traffic that start, see Parcel::order
};

class Carrier {
 public:
  virtual ~Carrier() = default;

  virtual bool uses_links() const = 0;  // whether the state of links has an effect

  // Write two numbers of seconds until `now` for each link of the platform: the integral over time of the link's load
  // (used fraction of its bandwidth), and the time that the link was off. Requires uses_links() and an earlier call of
  // network.meter_links().
  virtual void read_links(double now, double* load_seconds, double* seconds_off) const = 0;

  // Return the network's number of a platform link; kNone if no route has crossed it.
  virtual LinkId number_of(LinkId link) const = 0;

  // Return the host, and the part of it, that this link of the network represents. Links of the platform belong to no
  // host.
  virtual HostLink part_of_host(LinkId) const { return {}; }

  // Return whether messages and computations share the memory of the host. Only then may start_in_memory() be called,
  // which returns a number for cancel().
  virtual bool shares_memory(HostId) const { return false; }
  virtual FlowId start_in_memory(double, const Traffic&) { return kNone; }

  // Return whether a message whose data its sender has received can be slower than others.
  virtual bool slows_forwarded() const { return false; }

  // Measure the waits of packets; to be called before the first message. packet_meter() then returns the measurement,
  // indexed by number_of(link), and delay_of() the waits of all packets of a message that has just arrived, in seconds.
  // A carrier without packets has none of these.
  virtual void measure_packets() {}
  virtual const PacketMeter* packet_meter() const { return nullptr; }
  virtual double delay_of(FlowId) const { return 0.0; }

  // Return which parts of the packet model the messages so far have used, or null for a carrier without packets.
  virtual const PacketUse* packet_use() { return nullptr; }

  // Start a message at `now`. Returns its number for cancel(), or kNone if source and destination are not connected.
  virtual FlowId start(double now, const Parcel& parcel) = 0;
  virtual void cancel(double now, FlowId number) = 0;

  // Return why the simulation cannot continue, or null: the network cannot take a message for which start() has
  // returned kNone although its hosts are connected, or a packet of a message that has started.
  virtual const char* problem() const { return nullptr; }

  // Return the absolute time of the next event, or kNever. A carrier may process events before `until` that concern
  // nobody else, as no other event of the simulation is earlier; it then returns the time of the next one.
  virtual double next_event(double now, double until) = 0;

  // Process every event due at `now` (within precision/timing). Appends the tokens of the messages that have arrived.
  virtual void settle(double now, std::vector<std::uint32_t>& arrived) = 0;
};

// Make the carrier for the option network/model.
std::unique_ptr<Carrier> make_carrier(const Platform& platform, Network& network);

}  // namespace pysmpi
