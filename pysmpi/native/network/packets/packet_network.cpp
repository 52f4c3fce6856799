// The way of packets through queues, cables and buffers.
#include "network/packets/packet_network.hpp"

#include <algorithm>
#include <bit>

namespace pysmpi {

namespace {

template <typename Array>
std::uint32_t take_from(Array& all, std::vector<std::uint32_t>& unused) {
  if (unused.empty()) {
    all.emplace_back();
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t number = unused.back();
  unused.pop_back();
  return number;
}

}  // namespace

PacketNetwork::PacketNetwork(std::uint32_t channels, const Buffers& buffers, Owner& owner)
    : owner_(owner),
      channels_(channels),
      shift_(std::bit_width(channels - 1)),
      buffers_(buffers),
      limited_(buffers.channel < kNever) {}

std::uint32_t PacketNetwork::add_cable(double bandwidth, double latency, bool shared) {
  cables_.push_back({.seconds_per_byte = 1 / bandwidth, .latency = latency, .shared = shared});
  queues_.resize(cables_.size() << shift_, {.room = buffers_.channel});
  // Bytes occupy the host's buffer until their credit is back. These are at most the bytes that the cable sends in one
  // round trip, and those of the packet whose credit comes next. If the buffer has room for one more packet besides, it
  // is never full, and is not simulated.
  if (limited_ && shared && buffers_.host < 2 * latency * bandwidth + 2 * buffers_.largest) {
    cables_.back().host_buffer = static_cast<std::uint32_t>(host_buffers_.size());
    host_buffers_.push_back({.room = buffers_.host});
  }
  return static_cast<std::uint32_t>(cables_.size() - 1);
}

WayId PacketNetwork::add_way(std::span<const std::uint32_t> hops) {
  if (hops.size() >= free_ways_.size()) free_ways_.resize(hops.size() + 1);
  std::vector<WayId>& unused = free_ways_[hops.size()];
  auto way = static_cast<WayId>(ways_.size());
  if (unused.empty()) {
    ways_.resize(ways_.size() + 2 + hops.size());
    ways_[way + 1] = static_cast<std::uint32_t>(hops.size());
  } else {
    way = unused.back();
    unused.pop_back();
  }
  ways_[way] = 1;
  std::copy(hops.begin(), hops.end(), ways_.begin() + way + 2);
  return way;
}

void PacketNetwork::leave_way(WayId way) {
  if (--way_users(way) == 0) free_ways_[way_length(way)].push_back(way);
}

void PacketNetwork::inject(double now, WayId way, std::uint32_t bytes, std::uint32_t token, std::uint32_t choice) {
  ++injected_;
  ++way_users(way);
  const std::uint32_t number = take_from(packets_, free_packets_);
  packets_[number] = {
      .tail = now, .token = token, .bytes = bytes, .way = way, .next = kNone, .hop = 0, .choice = choice};
  if (meter_) meter_->packet_injected(number);
  enqueue(now, number);
}

// Prefetches what the events of this instant will need soon: first a packet, then its way, cables and channels.
void PacketNetwork::prefetch_later() const {
  constexpr std::size_t kPacket = 16, kWay = 11, kPlaces = 6;  // how many events ahead each is prefetched
  const auto packet_of = [this](std::size_t ahead) {
    const PacketEvent* const event = events_.later(ahead);
    return event && event->kind == PacketEventKind::kArrive ? &packets_[event->item] : nullptr;
  };
  if (const PacketEvent* const event = events_.later(kPacket); event && event->kind == PacketEventKind::kServe) {
    __builtin_prefetch(&cables_[event->item]);
  }
  if (const Packet* const packet = packet_of(kPacket)) __builtin_prefetch(packet);
  if (const Packet* const packet = packet_of(kWay)) __builtin_prefetch(&ways_[packet->way]);
  if (const Packet* const packet = packet_of(kPlaces); packet && !is_last(*packet)) {
    const std::uint32_t next = hop_at(packet->way, packet->hop + 1), behind = hop_at(packet->way, packet->hop);
    __builtin_prefetch(&cables_[next >> shift_]);
    __builtin_prefetch(&queues_[next]);
    __builtin_prefetch(&cables_[behind >> shift_]);
    __builtin_prefetch(&queues_[behind]);
  }
}

void PacketNetwork::process_next() {
  prefetch_later();
  const auto [now, item, kind] = events_.take();
  switch (kind) {
    case PacketEventKind::kServe:
      if (cables_[item].wake == now) {
        cables_[item].wake = kNever;
        serve(now, item);
      }
      break;
    case PacketEventKind::kArrive: {
      Packet& packet = packets_[item];
      if (!is_last(packet)) {
        ++packet.hop;
        if (packet.hop == packet.choice) {
          leave_way(packet.way);
          const ChosenWay chosen = owner_.choose_way(now, packet.token, packet.hop);
          packet.way = chosen.way;
          packet.choice = chosen.choice;
        }
        enqueue(now, item);
        break;
      }
      ++arrived_;
      if (meter_) latest_delay_ = meter_->packet_arrives(item);
      leave_way(packet.way);
      free_packets_.push_back(item);
      owner_.packet_arrived(now, packet.token);
      break;
    }
    case PacketEventKind::kAlarm:
      owner_.alarm(now, item);
      break;
  }
}

// Puts a packet into the queue of the cable that is next on its way. If its channel was empty, the cable may send it
// now; otherwise an event or a credit that is under way will wake the cable up.
void PacketNetwork::enqueue(double now, std::uint32_t number) {
  Packet& packet = packets_[number];
  const std::uint32_t at = hop_at(packet.way, packet.hop);
  const std::uint32_t cable = at >> shift_;
  Channel& channel = queues_[at];
  Cable& here = cables_[cable];
  if (meter_) meter_->packet_comes(now, number, cable, here.waiting, here.shared ? here.free_at : now);
  here.queued_bytes += packet.bytes;
  ++here.waiting;
  packet.next = kNone;
  if (channel.first != kNone) {
    packets_[channel.last].next = number;
    channel.last = number;
    return;
  }
  channel.first = channel.last = number;
  if (here.free_at > now || serving_) {
    wake_at(std::max(here.free_at, now), cable);
  } else {
    serve(now, cable);
  }
}

void PacketNetwork::wake_at(double time, std::uint32_t cable) {
  Cable& here = cables_[cable];
  if (time < here.wake) here.wake = events_.add(time, PacketEventKind::kServe, cable);
}

void PacketNetwork::serve(double now, std::uint32_t cable) {
  if (cables_[cable].free_at > now) return wake_at(cables_[cable].free_at, cable);
  serving_ = true;
  while (send_one(now, cable) && !cables_[cable].shared) {
  }
  serving_ = false;
}

// Sends a packet of the next channel that has a packet and room for it. Returns false if no channel has both; the
// cable is then woken up when the first waiting packet has room.
bool PacketNetwork::send_one(double now, std::uint32_t cable) {
  double earliest = kNever;
  std::uint32_t turn = cables_[cable].next_turn;
  for (std::uint32_t tried = 0; tried < channels_; ++tried) {
    const std::uint32_t number = hop(cable, turn);
    if (++turn == channels_) turn = 0;
    const Channel& channel = queues_[number];
    if (channel.first == kNone) continue;
    if (!has_room(now, number, packets_[channel.first], earliest)) {
      if (meter_) note_lack_of_room(now, number);
      continue;
    }
    cables_[cable].next_turn = static_cast<std::uint16_t>(turn);
    send(now, cable, number);
    return true;
  }
  if (earliest < kNever) wake_at(earliest, cable);
  if (meter_ && cables_[cable].waiting > 0) meter_->cable_stalls(now, cable);
  return false;
}

// Adds the credits that have come back to the room of a channel or of a host's buffer; `note` is called for each.
template <class Buffer, class Note>
void PacketNetwork::collect_credits(double now, Buffer& buffer, Note&& note) {
  while (buffer.credits != kNone && credits_[buffer.credits].time <= now) {
    const std::uint32_t taken = buffer.credits;
    buffer.room += credits_[taken].bytes;
    note(taken);
    buffer.credits = credits_[taken].next;
    free_credits_.push_back(taken);
  }
}

// Returns whether the packet has room behind the cable. If the credits under way will make room, sets `earliest` to
// that time if it is earlier; otherwise the next credit will wake the cable up.
bool PacketNetwork::has_room(double now, std::uint32_t number, const Packet& packet, double& earliest) {
  Channel& channel = queues_[number];
  if (!limited_ || !cables_[number >> shift_].shared) return true;
  if (is_last(packet)) return host_has_room(now, number >> shift_, packet, earliest);
  collect_credits(now, channel, [&](std::uint32_t credit) {
    if (meter_) meter_->room_made(number, credit_roots_[credit]);
  });
  double room = channel.room;
  if (room >= packet.bytes) return true;
  lacked_room_ = true;
  for (std::uint32_t each = channel.credits; each != kNone; each = credits_[each].next) {
    room += credits_[each].bytes;
    if (room >= packet.bytes) {
      earliest = std::min(earliest, credits_[each].time);
      return false;
    }
  }
  channel.starved = true;
  return false;
}

// Returns whether the host's buffer at the end of the last cable has room for the packet, and if not, lowers `earliest`
// as has_room does. Every packet in this buffer has a credit whose time is known.
bool PacketNetwork::host_has_room(double now, std::uint32_t cable, const Packet& packet, double& earliest) {
  if (cables_[cable].host_buffer == kNone) return true;
  HostBuffer& buffer = host_buffers_[cables_[cable].host_buffer];
  collect_credits(now, buffer, [](std::uint32_t) {});
  double room = buffer.room;
  if (room >= packet.bytes) return true;
  lacked_room_ = true;
  std::uint32_t last = buffer.credits;
  while (room + credits_[last].bytes < packet.bytes) {
    room += credits_[last].bytes;
    last = credits_[last].next;
  }
  earliest = std::min(earliest, credits_[last].time);
  return false;
}

// Reserves room in the host's buffer at the end of a cable for a packet. Its credit comes back at the time `freed`.
void PacketNetwork::enter_host_buffer(double freed, std::uint32_t cable, std::uint32_t bytes) {
  HostBuffer& buffer = host_buffers_[cables_[cable].host_buffer];
  const std::uint32_t added = take_from(credits_, free_credits_);
  credits_[added] = {freed, bytes, kNone};
  (buffer.credits == kNone ? buffer.credits : credits_[buffer.latest].next) = added;
  buffer.latest = added;
  buffer.room -= bytes;
}

void PacketNetwork::send(double now, std::uint32_t cable, std::uint32_t number) {
  ++crossings_;
  Channel& channel = queues_[number];
  Cable& here = cables_[cable];
  const std::uint32_t sent = channel.first;
  Packet& packet = packets_[sent];
  channel.first = packet.next;
  const double seconds = packet.bytes * here.seconds_per_byte;
  const double end = std::max(now + seconds, packet.tail);  // a tail that comes over a slower cable is waited for
  const bool last = is_last(packet);
  here.queued_bytes -= packet.bytes;
  --here.waiting;
  here.busy += seconds;
  const std::uint32_t root = meter_ ? note_departure(now, number, sent, here.free_at) : kNone;
  if (here.shared) here.free_at = end;
  if (limited_ && !last && here.shared) channel.room -= packet.bytes;
  if (last && here.host_buffer != kNone) enter_host_buffer(end + 2 * here.latency, cable, packet.bytes);
  if (limited_ && packet.hop > 0) {
    const std::uint32_t behind = hop_at(packet.way, packet.hop - 1);
    const Cable& before = cables_[behind >> shift_];
    if (before.shared) return_credit(end + before.latency, behind, packet.bytes, root);
  }
  packet.tail = end + here.latency;
  events_.add(last ? packet.tail : now + here.latency, PacketEventKind::kArrive, sent);
  if (here.waiting > 0 && here.shared) wake_at(here.free_at, cable);
  if (packet.hop == 0) owner_.packet_left(now, packet.token);
}

// Reports to the meter that the first packet of a channel has no room behind the cable.
void PacketNetwork::note_lack_of_room(double now, std::uint32_t number) {
  const std::uint32_t first = queues_[number].first;
  if (!meter_->lacked_room(first, number)) meter_->packet_lacks_room(first, number, next_idle(now, packets_[first]));
}

// Reports to the meter that a packet begins to cross a cable. Returns the cable that is the root of the stalls (see
// packet_meter.hpp) which the packet's credit will end.
std::uint32_t PacketNetwork::note_departure(double now, std::uint32_t number, std::uint32_t sent, double free_since) {
  const Packet& packet = packets_[sent];
  const Cable& here = cables_[number >> shift_];
  const bool lacked_room = meter_->lacked_room(sent, number);
  return meter_->packet_leaves(now, {.packet = sent,
                                     .cable = number >> shift_,
                                     .queue = number,
                                     .waiting = here.shared ? here.waiting : 0,
                                     .bytes = packet.bytes,
                                     .first_cable = packet.hop == 0,
                                     .free_since = free_since,
                                     .seconds = packet.bytes * here.seconds_per_byte,
                                     .next_idle = lacked_room ? next_idle(now, packet) : 0.0});
}

// Returns the seconds for which the next but one cable of the packet has been idle so far; 0 if a switch has yet to
// choose it.
double PacketNetwork::next_idle(double now, const Packet& packet) const {
  if (is_last(packet) || packet.hop + 1 == packet.choice) return 0.0;
  const std::uint32_t cable = hop_at(packet.way, packet.hop + 1) >> shift_;
  const Cable& next = cables_[cable];
  return next.shared ? meter_->idle(now, cable, next.waiting, next.free_at) : now;
}

void PacketNetwork::return_credit(double time, std::uint32_t number, std::uint32_t bytes, std::uint32_t root) {
  const std::uint32_t added = take_from(credits_, free_credits_);
  if (meter_) {
    if (credit_roots_.size() < credits_.size()) credit_roots_.resize(credits_.size());
    credit_roots_[added] = root;
  }
  Channel& channel = queues_[number];
  // Credits come nearly in order of time; only packets that leave over faster cables overtake others.
  if (channel.credits == kNone) {
    credits_[added] = {time, bytes, kNone};
    channel.credits = channel.latest = added;
  } else if (credits_[channel.latest].time <= time) {
    credits_[added] = {time, bytes, kNone};
    credits_[channel.latest].next = added;
    channel.latest = added;
  } else if (time < credits_[channel.credits].time) {
    credits_[added] = {time, bytes, channel.credits};
    channel.credits = added;
  } else {
    std::uint32_t before = channel.credits;
    while (credits_[credits_[before].next].time <= time) before = credits_[before].next;
    credits_[added] = {time, bytes, credits_[before].next};
    credits_[before].next = added;
  }
  if (channel.starved) {
    channel.starved = false;
    const std::uint32_t cable = number >> shift_;
    wake_at(std::max(time, cables_[cable].free_at), cable);
  }
}

double PacketNetwork::seconds_to_leave(double now, std::uint32_t cable, double bytes) const {
  const Cable& here = cables_[cable];
  const double queued = (static_cast<double>(here.queued_bytes) + bytes) * here.seconds_per_byte;
  return std::max(0.0, here.free_at - now) + queued;
}

double PacketNetwork::bytes_held(double now, std::uint32_t cable) const {
  double held = 0.0;
  if (!limited_) return held;
  const auto add = [&](double whole, const auto& buffer) {
    held += whole - buffer.room;
    for (std::uint32_t each = buffer.credits; each != kNone; each = credits_[each].next) {
      if (credits_[each].time <= now) held -= credits_[each].bytes;
    }
  };
  for (std::uint32_t channel = 0; channel < channels_; ++channel) add(buffers_.channel, queues_[hop(cable, channel)]);
  if (cables_[cable].host_buffer != kNone) add(buffers_.host, host_buffers_[cables_[cable].host_buffer]);
  return held;
}

}  // namespace pysmpi
