// A lossless network of packets: cables with buffers at their far ends, virtual channels, credits and cut-through.
//
// A packet's path is called a way: a sequence of hops, each of which is a cable and one of its virtual channels. A
// cable sends one packet at a time. Its virtual channels take turns; the packets of a channel go in the order in which
// they came. A packet needs room for all its bytes in the channel's part of the buffer at the cable's far end (virtual
// cut-through: P. Kermani, L. Kleinrock, Computer Networks 3, 1979). It goes on as soon as its head has
// arrived, and its room is free again one latency after its tail has left that buffer: the credit's way back
// (W. J. Dally, "Virtual-channel flow control", IEEE Transactions on Parallel and Distributed Systems 3(2), 1992). A
// packet that has no room stays in the buffer of the cable before, so packets that need this buffer wait, too. The last
// cable of a way leads into a buffer of the host's own adapter, which no other packets use. A host takes a packet out
// of it as soon as its tail has arrived, so this buffer only limits a cable to its bytes in a round trip.
//
// Example: two cables of 1 byte/ns and 100 ns, and a packet of 1,000 bytes at time 0. Its head is in the switch at 100
// ns and goes on. Its tail follows at 1,100 ns, when the buffer of the first cable is empty. The credit is back at the
// sender at 1,200 ns. At the same time the packet has arrived: after both latencies and the time of its bytes once.
//
// To save time, credits are not events. Each channel has a list of the credits on their way to it, which is read when
// the channel has a packet to send. Only if the packet waits for a credit is there an event that wakes the cable up.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "network/packets/event_queue.hpp"
#include "network/packets/packet_meter.hpp"

namespace pysmpi {

using WayId = std::uint32_t;

// A stored way that begins as the packet's former way does and has one user: the packet. If `choice` is not 0, the rest
// is chosen again when the packet has crossed that number of cables.
struct ChosenWay {
  WayId way;
  std::uint32_t choice;
};

class PacketNetwork {
 public:
  // Interface through which the network reports events of packets. These functions may inject packets.
  class Owner {
   public:
    virtual void packet_left(double now, std::uint32_t token) = 0;     // it has begun to cross its first cable
    virtual void packet_arrived(double now, std::uint32_t token) = 0;  // its last byte has arrived
    virtual void alarm(double now, std::uint32_t token) = 0;
    // The packet's head has come to the switch that chooses the rest of its way (inject), after `crossed` cables.
    virtual ChosenWay choose_way(double now, std::uint32_t token, std::uint32_t crossed) = 0;

   protected:
    ~Owner() = default;
  };

  // Bytes of the buffers at the far end of a cable; kNever for no limit. Each must hold the largest packet.
  struct Buffers {
    double channel;  // buffer of each channel, for packets that go on
    double host;     // buffer of the host's adapter, for packets that end there
    double largest;  // bytes of the largest packet
  };

  PacketNetwork(std::uint32_t channels, const Buffers& buffers, Owner& owner);

  std::uint32_t channels() const { return channels_; }

  // Adds a cable; cables are numbered from 0. A cable that is not shared sends all packets at the same time.
  std::uint32_t add_cable(double bandwidth, double latency, bool shared);

  // A hop of a way: a cable and a virtual channel of it.
  std::uint32_t hop(std::uint32_t cable, std::uint32_t channel) const { return cable << shift_ | channel; }

  // Stores a way of at least one hop, with one user. It is kept until all users and all packets on it have left it.
  WayId add_way(std::span<const std::uint32_t> hops);
  void leave_way(WayId way);

  // Puts a packet into the queue of the first cable of its way. If `choice` is not 0, the rest of the way is chosen
  // when the packet has crossed that number of cables.
  void inject(double now, WayId way, std::uint32_t bytes, std::uint32_t token, std::uint32_t choice = 0);
  void set_alarm(double time, std::uint32_t token) { events_.add(time, PacketEventKind::kAlarm, token); }

  double next_time() const { return events_.next_time(); }
  void process_next();

  // Returns the seconds until a packet of `bytes` bytes would have left, if it came to the cable now.
  double seconds_to_leave(double now, std::uint32_t cable, double bytes) const;

  // Measures waits from now on, before the first packet. It costs time and memory only if it is on.
  void measure() { meter_ = std::make_unique<PacketMeter>(); }
  const PacketMeter* meter() const { return meter_.get(); }
  double latest_delay() const { return latest_delay_; }  // delay of the packet in packet_arrived(), if measured

  // Counts since the beginning, for tests and reports.
  std::uint64_t injected() const { return injected_; }
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t crossings() const { return crossings_; }  // packets over cables
  bool lacked_room() const { return lacked_room_; }       // whether a packet has waited for room
  // Returns the bytes of the cable's buffers whose credits have not come back by `now`; 0 without a limit.
  double bytes_held(double now, std::uint32_t cable) const;

 private:
  // Most of these objects are not in the processor's cache when they are needed. Each lies in one of its lines.
  struct alignas(32) Packet {
    double tail;  // time at which the last byte reaches the place where the head waits
    std::uint32_t token, bytes;
    WayId way;
    std::uint32_t next;        // next packet in the queue of the channel
    std::uint32_t hop : 28;    // index in the way
    std::uint32_t choice : 4;  // hop from which on the way is to be chosen, or 0
  };
  static_assert(sizeof(Packet) <= 48);

  struct alignas(64) Cable {
    double seconds_per_byte, latency;
    double free_at = 0.0;
    double wake = kNever;  // time of the valid event kServe; others are out of date
    double busy = 0.0;     // seconds in which packets have crossed the cable
    std::uint64_t queued_bytes = 0;
    std::uint32_t waiting = 0;    // packets in the queues of all channels
    std::uint16_t next_turn = 0;  // channel that may send next
    bool shared = true;
    std::uint32_t host_buffer = kNone;  // index in host_buffers_, or kNone if it can never be full
  };

  struct alignas(32) Channel {
    double room;                                    // bytes
    std::uint32_t first = kNone, last = kNone;      // first and last packet that waits
    std::uint32_t credits = kNone, latest = kNone;  // first and last credit under way, by time
    bool starved = false;                           // waits for a credit that is not under way yet
  };

  struct alignas(16) Credit {
    double time;
    std::uint32_t bytes, next;
  };

  // The buffer of a host's adapter behind a cable. When a packet is sent, the time of its credit is known.
  struct HostBuffer {
    double room;
    std::uint32_t credits = kNone, latest = kNone;  // first and last credit under way, by time
  };

  void prefetch_later() const;
  void enqueue(double now, std::uint32_t number);
  void serve(double now, std::uint32_t cable);
  bool send_one(double now, std::uint32_t cable);
  void send(double now, std::uint32_t cable, std::uint32_t channel);
  void wake_at(double time, std::uint32_t cable);
  template <class Buffer, class Note>
  void collect_credits(double now, Buffer& buffer, Note&& note);
  bool has_room(double now, std::uint32_t channel, const Packet& packet, double& earliest);
  bool host_has_room(double now, std::uint32_t cable, const Packet& packet, double& earliest);
  void enter_host_buffer(double freed, std::uint32_t cable, std::uint32_t bytes);
  void return_credit(double time, std::uint32_t channel, std::uint32_t bytes, std::uint32_t root);
  void note_lack_of_room(double now, std::uint32_t channel);
  std::uint32_t note_departure(double now, std::uint32_t channel, std::uint32_t packet, double free_since);
  double next_idle(double now, const Packet& packet) const;
  bool is_last(const Packet& packet) const { return packet.hop + 1 == way_length(packet.way); }

  // A way is stored as its number of users, its number of hops, and its hops.
  std::uint32_t& way_users(WayId way) { return ways_[way]; }
  std::uint32_t way_length(WayId way) const { return ways_[way + 1]; }
  std::uint32_t hop_at(WayId way, std::uint32_t index) const { return ways_[way + 2 + index]; }

  Owner& owner_;
  std::uint32_t channels_;
  int shift_;
  Buffers buffers_;
  bool limited_;
  bool serving_ = false;
  bool lacked_room_ = false;
  PacketEventQueue events_;
  template <class Thing>
  using Array = std::vector<Thing, LargePages<Thing>>;
  Array<Cable> cables_;
  Array<Channel> queues_;
  Array<Packet> packets_;
  Array<Credit> credits_;
  std::vector<HostBuffer> host_buffers_;
  std::vector<std::uint32_t> free_packets_, free_credits_;
  Array<std::uint32_t> ways_;
  std::vector<std::vector<WayId>> free_ways_;  // indexed by number of hops
  std::uint64_t injected_ = 0, arrived_ = 0, crossings_ = 0;
  std::unique_ptr<PacketMeter> meter_;       // null unless waits are measured
  std::vector<std::uint32_t> credit_roots_;  // indexed as credits_; empty unless waits are measured
  double latest_delay_ = 0.0;
};

}  // namespace pysmpi
