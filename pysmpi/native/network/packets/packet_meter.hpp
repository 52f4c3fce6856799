// Measurement of a network of packets, for the network report: where packets wait, which links lose time because the
// buffer behind them is full, and which link is the root of each congestion tree.
//
// Example: hosts 0 to 3 send to host 4 over a switch, and host 0 also sends to host 5. The cable to host 4 is full, and
// its packets fill the buffers of the cables from the hosts. Host 0's cable stalls: it is idle, but no packet has room
// behind it. If its next packet goes to host 5, whose cable is idle, the time is lost by head-of-line blocking. The
// packet that makes room has left over the cable to host 4 without a wait for room there, so this cable is the root of
// the stall. Its packet's credit carries the root backwards. If host 0's cable then made room for another cable, that
// one's stall would have the same root.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class PacketMeter {
 public:
  // Statistics of a cable and the queues in front of it. Times are in seconds.
  struct Port {
    std::uint64_t packets = 0;
    double bytes = 0.0;
    double waited = 0.0;        // from the arrival of a packet to its departure, summed over packets
    double longest = 0.0;       // the longest of these waits
    double saturated = 0.0;     // a packet crosses the cable while others wait for it
    double stalled = 0.0;       // packets wait, but none crosses the cable because none has room behind it
    double head_of_line = 0.0;  // the first packet of a channel waits for room, but its next cable is idle
    double caused = 0.0;        // stalls of other cables that have this one as their root
  };

  // The histogram of the packets' delays (all waits of a packet together) counts zero delays first. The other bins
  // begin at 0 and at m * 10^e for m = 1 to 9, from 100 ns to 0.9 s; the last one has no end.
  static constexpr int kDecades = 7;
  static constexpr std::size_t kBins = 2 + 9 * kDecades;
  static double begin_of_bin(std::size_t bin);

  PacketMeter();

  // Events of the network. `queue` is the number of a channel.
  void packet_injected(std::uint32_t packet);
  // A packet has come to a cable, for which `waiting` others wait, and which is free from `free_at` on. For a cable
  // that is not shared, `free_at` is `now`.
  void packet_comes(double now, std::uint32_t packet, std::uint32_t cable, std::uint32_t waiting, double free_at);
  // The first packet of a channel has no room behind its cable. `next_idle` is the time (s) for which the cable after
  // that has been idle so far.
  void packet_lacks_room(std::uint32_t packet, std::uint32_t queue, double next_idle);
  void cable_stalls(double now, std::uint32_t cable);
  // A credit has made room in a channel. `root` is the cable that the credit names as the root of the stall.
  void room_made(std::uint32_t queue, std::uint32_t root);
  // A packet that begins to cross a cable.
  struct Departure {
    std::uint32_t packet, cable, queue;
    std::uint32_t waiting;  // number of other packets that wait for the cable
    std::uint32_t bytes;
    bool first_cable;
    double free_since;  // end of the cable's last use
    double seconds;     // time in which the packet's bytes cross the cable
    double next_idle;   // argument of packet_lacks_room; unused if the packet had room
  };
  bool lacked_room(std::uint32_t packet, std::uint32_t queue) const {
    return queue < heads_.size() && heads_[queue].packet == packet;
  }
  // Returns the root of the stalls that the packet's credit will end.
  std::uint32_t packet_leaves(double now, const Departure& departure);
  double packet_arrives(std::uint32_t packet);  // returns its delay

  // Returns the seconds until `now` in which no packet crossed the cable or waited for it.
  double idle(double now, std::uint32_t cable, std::uint32_t waiting, double free_at) const;

  Port port(std::uint32_t cable) const { return cable < ports_.size() ? ports_[cable].use : Port{}; }
  const std::array<std::uint64_t, kBins>& delays() const { return delays_; }

 private:
  struct Measured {
    Port use;
    double idle = 0.0;
    double stalled_since = -1.0;  // negative: not stalled
  };
  struct Waiting {  // a packet, indexed by its number
    double since = 0.0, delay = 0.0;
  };
  struct Head {  // the packet that lacks room, indexed by the number of its channel
    std::uint32_t packet = kNone;
    std::uint32_t root = kNone;  // root that the last credit has named
    double next_idle = 0.0;      // idle time of the next cable when the packet was found to lack room
  };
  Measured& measured(std::uint32_t cable);
  Head& head(std::uint32_t queue);

  std::vector<Measured> ports_;
  std::vector<Waiting> packets_;
  std::vector<Head> heads_;
  std::array<double, kBins> begins_;
  std::array<std::uint64_t, kBins> delays_{};
};

}  // namespace pysmpi
