// Waits of packets, stalls of cables and their roots.
#include "network/packets/packet_meter.hpp"

#include <algorithm>

namespace pysmpi {

namespace {

template <typename Thing>
Thing& grown(std::vector<Thing>& all, std::uint32_t index) {
  if (index >= all.size()) all.resize(index + std::size_t{1});
  return all[index];
}

}  // namespace

PacketMeter::PacketMeter() {
  for (std::size_t bin = 0; bin < kBins; ++bin) begins_[bin] = begin_of_bin(bin);
}

double PacketMeter::begin_of_bin(std::size_t bin) {
  constexpr std::array<double, kDecades> kTens{1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
  return bin < 2 ? 0.0 : static_cast<double>((bin - 2) % 9 + 1) * kTens[(bin - 2) / 9];
}

PacketMeter::Measured& PacketMeter::measured(std::uint32_t cable) { return grown(ports_, cable); }
PacketMeter::Head& PacketMeter::head(std::uint32_t queue) { return grown(heads_, queue); }

void PacketMeter::packet_injected(std::uint32_t packet) { grown(packets_, packet) = {}; }

void PacketMeter::packet_comes(double now, std::uint32_t packet, std::uint32_t cable, std::uint32_t waiting,
                               double free_at) {
  packets_[packet].since = now;
  if (waiting > 0) return;
  Measured& here = measured(cable);
  if (free_at > now) {
    here.use.saturated += free_at - now;
  } else {
    here.idle += now - free_at;
  }
}

double PacketMeter::idle(double now, std::uint32_t cable, std::uint32_t waiting, double free_at) const {
  const double before = cable < ports_.size() ? ports_[cable].idle : 0.0;
  return before + (waiting == 0 ? std::max(0.0, now - free_at) : 0.0);
}

void PacketMeter::packet_lacks_room(std::uint32_t packet, std::uint32_t queue, double next_idle) {
  head(queue) = {packet, kNone, next_idle};
}

void PacketMeter::cable_stalls(double now, std::uint32_t cable) {
  Measured& here = measured(cable);
  if (here.stalled_since < 0.0) here.stalled_since = now;
}

void PacketMeter::room_made(std::uint32_t queue, std::uint32_t root) {
  if (queue < heads_.size()) heads_[queue].root = root;
}

std::uint32_t PacketMeter::packet_leaves(double now, const Departure& departure) {
  const auto& [number, cable, queue, waiting, bytes, first_cable, free_since, seconds, next_idle] = departure;
  Waiting& packet = packets_[number];
  Measured& here = measured(cable);
  // Packets of one host wait for each other at its own cable in any network, so this is no delay.
  const double wait = now - (first_cable ? std::max(packet.since, std::min(free_since, now)) : packet.since);
  packet.delay += wait;
  ++here.use.packets;
  here.use.bytes += bytes;
  here.use.waited += wait;
  here.use.longest = std::max(here.use.longest, wait);
  if (waiting > 0) here.use.saturated += seconds;

  std::uint32_t root = cable;
  if (lacked_room(number, queue)) {
    Head& first = heads_[queue];
    if (first.root != kNone) root = first.root;
    here.use.head_of_line += next_idle - first.next_idle;
    first = {};
  }
  if (here.stalled_since >= 0.0) {
    const double stalled = now - here.stalled_since;
    here.stalled_since = -1.0;
    here.use.stalled += stalled;
    measured(root).use.caused += stalled;  // may move `here`
  }
  return root;
}

double PacketMeter::packet_arrives(std::uint32_t packet) {
  const double delay = packets_[packet].delay;
  std::size_t bin = 0;
  if (delay > 0.0)
    bin = static_cast<std::size_t>(std::upper_bound(begins_.begin() + 2, begins_.end(), delay) - begins_.begin()) - 1;
  ++delays_[bin];
  return delay;
}

}  // namespace pysmpi
