// Messages as packets in a lossless network with finite buffers. Adapters cut messages into packets and inject them,
// one host's messages in order or in turn; network/packets/packet_network.hpp moves them.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string>

#include "base/large_pages.hpp"
#include "base/options.hpp"
#include "network/model.hpp"
#include "network/packets/dependencies.hpp"
#include "network/packets/packet_network.hpp"
#include "network/packets/packet_use.hpp"
#include "platform/platform.hpp"

namespace pysmpi {
namespace {

// Number of channels on a platform that does not know how many its routes need. A third channel, without room of its
// own, is for the last link of each way, because one link may lead both from a host and to it: packets that the host
// accepts must not wait behind packets that need room.
constexpr std::uint32_t kChannelsOfZones = 2;
// A train has at most this many packets unless packets/train says otherwise. If each packet chooses its route, trains
// spread less than packets.
constexpr double kLongestTrain = 8, kLongestSpreadTrain = 2;
// Packets of an adapter that wait for their first cable. With two, the cable never waits for the adapter.
constexpr std::uint32_t kWaiting = 2;

// Returns the number of channels that share a buffer. `known` is the number that the platform's routes need, or 0.
std::uint32_t parts_of(std::uint32_t known) { return known == 0 ? kChannelsOfZones : known; }
std::uint32_t channels_of(std::uint32_t known) { return known == 0 ? kChannelsOfZones + 1 : known; }

// Properties of a platform on which the lengths of trains and the sizes of buffers depend: the number of channels, and
// whether each packet chooses its route.
struct Kind {
  std::uint32_t channels;
  bool routes_vary;
};

// Returns the bytes that move as one packet: by default, as many whole packets as an eighth of a channel's part of a
// buffer holds. On full machines of 625 hosts, transpositions then take up to 8 % longer than with single packets; with
// a quarter, up to 18 % on a torus with buffers of 128 KiB.
std::uint32_t bytes_of_train(const Kind& kind) {
  const Options& settings = options();
  const auto size = static_cast<double>(settings.packet_size);
  auto packets = static_cast<double>(settings.packet_train);
  const double longest = kind.routes_vary ? kLongestSpreadTrain : kLongestTrain;
  if (packets == 0) packets = std::clamp(settings.packet_buffer / parts_of(kind.channels) / 8 / size, 1.0, longest);
  return static_cast<std::uint32_t>(std::min(size * static_cast<double>(static_cast<std::uint64_t>(packets)), 0x1p31));
}

// Returns the bytes of buffer for each channel (its part of a cable's buffer) and for a host's adapter; each holds a
// packet.
PacketNetwork::Buffers buffers_of(const Kind& kind) {
  const double buffer = options().packet_buffer, largest = bytes_of_train(kind);
  return {std::max(buffer / parts_of(kind.channels), largest), std::max(buffer, largest), largest};
}

Kind kind_of(const Platform& platform) { return {platform.channels(), platform.has_varying_routes()}; }
Kind kind_of(const pysmpi_lone_message& message) { return {message.channels, message.routes_vary != 0}; }

class PacketCarrier final : public Carrier, private PacketNetwork::Owner, private LinkLoads {
 public:
  explicit PacketCarrier(const Platform& platform);

  bool uses_links() const override { return false; }
  void read_links(double, double*, double*) const override {}
  LinkId number_of(LinkId link) const override { return cables_[link] - 1; }
  void measure_packets() override { network_.measure(); }
  const PacketMeter* packet_meter() const override { return network_.meter(); }
  double delay_of(FlowId number) const override { return number < delays_.size() ? delays_[number] : 0.0; }
  const PacketUse* packet_use() override {
    use_.lacked_room = network_.lacked_room();
    return &use_;
  }
  FlowId start(double now, const Parcel& parcel) override;
  void cancel(double now, FlowId number) override;
  const char* problem() const override { return problem_.empty() ? nullptr : problem_.c_str(); }
  double next_event(double now, double until) override;
  void settle(double now, std::vector<std::uint32_t>& arrived) override;

 private:
  struct alignas(64) Message {
    HostId source, destination;
    std::uint64_t number;
    std::uint64_t bytes_to_inject;
    std::uint32_t packets_to_arrive;
    std::uint32_t injected = 0;  // number of packets injected so far
    std::uint32_t chosen = 0;    // number of ways that switches have chosen for its packets
    std::uint32_t token;
    FlowId next = kNone;  // the adapter's next message
    WayId way = kNone;
    bool cancelled = false;
  };

  // Messages of a host that it has not injected completely, in the order in which the adapter serves them.
  struct Adapter {
    FlowId first = kNone, last = kNone;
    std::uint32_t waiting = 0;  // packets that have not begun to cross their first cable
  };

  struct Start {
    std::uint64_t order;
    FlowId number;
    bool operator<(const Start& other) const { return order < other.order; }
  };

  void packet_left(double now, std::uint32_t number) override;
  void packet_arrived(double now, std::uint32_t number) override;
  ChosenWay choose_way(double now, std::uint32_t number, std::uint32_t crossed) override;
  void alarm(double now, std::uint32_t number) override;
  double load_with_one_more(LinkId link) const override;
  double load(LinkId link) const override;

  // Sets route_ and way_channels_ for a packet that has crossed some links.
  bool find_way(const Message& message, std::uint32_t packet, std::uint32_t crossed = 0);
  std::uint32_t cable_of(LinkId link);
  // Stores the way of a packet and sets `choice` to the number of links before a switch chooses the rest of it, or 0.
  // Returns kNone if its buffers close a cycle.
  WayId way_of(const Message& message, std::uint32_t packet, std::uint32_t& choice);
  WayId stored_way();  // stores the way of route_ and way_channels_
  void inject(double now, HostId host);
  void append(Adapter& adapter, FlowId number);
  void clear_delay(FlowId number);
  LinkId narrowest_if_fatpipe() const;
  void finish(FlowId number);
  void release(FlowId number) { free_.push_back(number); }
  void explain_cycle();

  const Platform& platform_;
  PacketNetwork network_;
  Dependencies dependencies_;
  std::uint32_t train_;
  bool knows_channels_, routes_vary_, switches_choose_;
  struct Free {
    void operator()(std::uint32_t* cables) const { std::free(cables); }
  };
  // Indexed by the platform's number of a link: the cable's number + 1, or 0 if no packet has come there. The operating
  // system allocates the pages of this array only when they are first written.
  std::unique_ptr<std::uint32_t[], Free> cables_;
  std::vector<Adapter> adapters_;  // indexed by host
  std::vector<Message, LargePages<Message>> messages_;
  std::vector<FlowId> free_;
  std::vector<Start> starts_;
  std::vector<std::uint32_t> arrived_;  // tokens
  std::vector<double> delays_;          // seconds, by number of a message; empty unless packets are measured
  double now_ = 0.0;                    // time (s) for which load() returns the loads of links
  std::string problem_;
  PacketUse use_;
  Route route_;  // this and the next two: members only to reuse their memory
  std::vector<std::uint32_t> way_channels_, hops_;
};

PacketCarrier::PacketCarrier(const Platform& platform)
    : platform_(platform),
      network_(channels_of(platform.channels()), buffers_of(kind_of(platform)), *this),
      dependencies_(kChannelsOfZones),
      train_(bytes_of_train(kind_of(platform))),
      knows_channels_(platform.channels() != 0),
      routes_vary_(platform.has_varying_routes()),
      switches_choose_(knows_channels_ && platform.routes_by_load()),
      cables_(static_cast<std::uint32_t*>(
          std::calloc(std::max<std::size_t>(platform.link_count(), 1), sizeof(std::uint32_t)))) {
  if (!cables_) throw std::bad_alloc();
}

FlowId PacketCarrier::start(double now, const Parcel& parcel) {
  if (free_.empty()) {
    free_.push_back(static_cast<FlowId>(messages_.size()));
    messages_.emplace_back();
  }
  const FlowId number = free_.back();
  const auto bytes = static_cast<std::uint64_t>(parcel.bytes);
  Message& message = messages_[number];
  message = {.source = parcel.source,
             .destination = parcel.destination,
             .number = parcel.message,
             .bytes_to_inject = bytes,
             .packets_to_arrive = static_cast<std::uint32_t>(bytes <= train_ ? 1 : (bytes + train_ - 1) / train_),
             .token = parcel.token};
  now_ = now;
  if (!find_way(message, 0)) return kNone;
  free_.pop_back();
  // A message that bypasses the queues (packets/bypass) takes the time that its way would take if it were idle.
  const auto is_fatpipe = [this](LinkId link) { return platform_.link_policy(link) == SharingPolicy::kFatpipe; };
  const bool unshared = std::all_of(route_.links.begin(), route_.links.end(), is_fatpipe);
  const bool short_enough = options().packet_bypass > 0 && parcel.bytes <= options().packet_bypass;
  use_.bypassed |= short_enough && !unshared;
  if (unshared || short_enough) {
    double seconds_per_byte = 0.0;
    for (const LinkId link : route_.links) {
      seconds_per_byte = std::max(seconds_per_byte, 1 / platform_.link_bandwidth(link));
    }
    message.packets_to_arrive = 1;
    message.bytes_to_inject = 0;
    network_.set_alarm(now + route_.latency + parcel.bytes * seconds_per_byte, number);
  } else {
    starts_.push_back({parcel.order, number});
    use_.several_packets |= bytes > options().packet_size;
    if (bytes > options().packet_size && use_.ignored_limit == kNone) use_.ignored_limit = narrowest_if_fatpipe();
  }
  return number;
}

// Returns the narrowest link of the route if it is not shared and narrower than all shared ones, else kNone.
LinkId PacketCarrier::narrowest_if_fatpipe() const {
  LinkId narrowest = kNone;
  double lowest = kNever;
  for (const LinkId link : route_.links) {
    const double bandwidth = platform_.link_bandwidth(link);
    const bool shared = platform_.link_policy(link) == SharingPolicy::kShared;
    if (bandwidth > lowest || (bandwidth == lowest && !shared)) continue;
    lowest = bandwidth;
    narrowest = shared ? kNone : link;
  }
  return narrowest;
}

bool PacketCarrier::find_way(const Message& message, std::uint32_t packet, std::uint32_t crossed) {
  route_.message = message.number << Route::kPacketBits | packet;
  route_.crossed = crossed;
  route_.loads = this;
  if (!platform_.route(message.source, message.destination, route_)) return false;
  if (knows_channels_) {
    route_.read_channels(way_channels_);
  } else if (!dependencies_.add_way(route_.links, way_channels_)) {
    explain_cycle();
    return false;
  } else if (!way_channels_.empty()) {
    way_channels_.back() = kChannelsOfZones;
  }
  return true;
}

void PacketCarrier::explain_cycle() {
  problem_ = "packets would wait for each other for ever, because the buffers of these links form a cycle: ";
  for (const LinkId link : dependencies_.cycle()) problem_ += platform_.link(link).name + ", ";
  problem_ += platform_.link(dependencies_.cycle().front()).name +
              "; use routes without cycles, a cluster, or another network/model";
}

std::uint32_t PacketCarrier::cable_of(LinkId link) {
  std::uint32_t& number = cables_[link];
  if (number == 0) {
    const bool shared = platform_.link_policy(link) == SharingPolicy::kShared;
    number = network_.add_cable(platform_.link_bandwidth(link), platform_.link_latency(link), shared) + 1;
  }
  return number - 1;
}

WayId PacketCarrier::way_of(const Message& message, std::uint32_t packet, std::uint32_t& choice) {
  choice = 0;
  if (switches_choose_) {
    route_.without_choices = true;
    platform_.route(message.source, message.destination, route_);
    route_.without_choices = false;
    // If the hosts are the nodes of the topology, the choice is made here, at the source.
    if (route_.choice > 0 && route_.choice != Route::kNoChoice) {
      choice = static_cast<std::uint32_t>(route_.choice);
      route_.read_channels(way_channels_);
      return stored_way();
    }
  }
  return find_way(message, packet) ? stored_way() : kNone;
}

// Packets of a message come to the switch of their host in order, so counting the choices here gives each packet the
// number that inject() gave it. If the routing is asked again at later switches, this count is the number of the choice
// and no longer the number of the packet.
ChosenWay PacketCarrier::choose_way(double now, std::uint32_t number, std::uint32_t crossed) {
  now_ = now;
  find_way(messages_[number], messages_[number].chosen++, crossed);
  const bool again = route_.next_choice != Route::kNoChoice;
  return {stored_way(), again ? static_cast<std::uint32_t>(route_.next_choice) : 0};
}

WayId PacketCarrier::stored_way() {
  hops_.clear();
  for (std::size_t i = 0; i < route_.links.size(); ++i) {
    hops_.push_back(network_.hop(cable_of(route_.links[i]), std::min(way_channels_[i], network_.channels() - 1)));
  }
  return network_.add_way(hops_);
}

// Injects the packets that the adapter of a host may inject now. Only this function decides whether a packet may go.
void PacketCarrier::inject(double now, HostId host) {
  now_ = now;
  while (adapters_[host].first != kNone && adapters_[host].waiting < kWaiting) {
    Adapter& adapter = adapters_[host];
    const FlowId number = adapter.first;
    Message& message = messages_[number];
    if (!message.cancelled) {
      const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(message.bytes_to_inject, train_));
      std::uint32_t choice = 0;
      if (message.way == kNone) message.way = way_of(message, message.injected, choice);
      if (message.way == kNone) return;  // the simulation ends
      ++adapter.waiting;
      if (message.injected++ == 0 && network_.meter() != nullptr) clear_delay(number);
      message.bytes_to_inject -= bytes;
      const WayId way = message.way;
      const bool keeps_way = message.bytes_to_inject > 0 && !routes_vary_;
      if (!keeps_way) message.way = kNone;
      const bool done = message.bytes_to_inject == 0;
      if (done || options().fair_injection) {
        adapter.first = message.next;
        if (!done) append(adapter, number);
      }
      network_.inject(now, way, bytes, number, choice);
      if (!keeps_way) network_.leave_way(way);
    } else {
      adapter.first = message.next;
      if (message.way != kNone) network_.leave_way(message.way);
      message.packets_to_arrive -= static_cast<std::uint32_t>((message.bytes_to_inject + train_ - 1) / train_);
      if (message.injected == 0 || message.packets_to_arrive == 0) release(number);
    }
  }
}

void PacketCarrier::append(Adapter& adapter, FlowId number) {
  messages_[number].next = kNone;
  if (adapter.first == kNone) {
    adapter.first = number;
  } else {
    use_.several_messages = true;
    messages_[adapter.last].next = number;
  }
  adapter.last = number;
}

void PacketCarrier::clear_delay(FlowId number) {
  if (number >= delays_.size()) delays_.resize(messages_.size());
  delays_[number] = 0.0;
}

void PacketCarrier::packet_left(double now, std::uint32_t number) {
  const HostId host = messages_[number].source;
  --adapters_[host].waiting;
  inject(now, host);
}

void PacketCarrier::packet_arrived(double /*now*/, std::uint32_t number) {
  if (network_.meter() != nullptr) delays_[number] += network_.latest_delay();
  if (--messages_[number].packets_to_arrive == 0) finish(number);
}

void PacketCarrier::finish(FlowId number) {
  if (!messages_[number].cancelled) arrived_.push_back(messages_[number].token);
  release(number);
}

// The message has met no other, so it has no delay.
void PacketCarrier::alarm(double /*now*/, std::uint32_t number) {
  if (network_.meter() != nullptr) clear_delay(number);
  finish(number);
}

// The packets of a cancelled message that have been injected go on, and nobody notices when they arrive.
void PacketCarrier::cancel(double /*now*/, FlowId number) { messages_[number].cancelled = true; }

double PacketCarrier::load_with_one_more(LinkId link) const {
  const std::uint32_t number = cables_[link];
  if (number == 0) return train_ / platform_.link_bandwidth(link);
  return network_.seconds_to_leave(now_, number - 1, train_);
}

double PacketCarrier::load(LinkId link) const {
  const std::uint32_t number = cables_[link];
  return number == 0 ? 0.0 : network_.seconds_to_leave(now_, number - 1, 0.0);
}

double PacketCarrier::next_event(double now, double until) {
  if (!starts_.empty()) {
    if (!std::is_sorted(starts_.begin(), starts_.end())) std::stable_sort(starts_.begin(), starts_.end());
    for (const Start& start : starts_) {
      const HostId host = messages_[start.number].source;
      if (host >= adapters_.size()) adapters_.resize(host + 1);
      append(adapters_[host], start.number);
      inject(now, host);
    }
    starts_.clear();
  }
  // The engine only needs to know of arrivals of messages.
  double date = now;
  while (arrived_.empty() && network_.next_time() < until) {
    date = network_.next_time();
    network_.process_next();
  }
  return arrived_.empty() ? network_.next_time() : date;
}

void PacketCarrier::settle(double now, std::vector<std::uint32_t>& arrived) {
  const double precision = options().precision_timing;
  while (network_.next_time() - now < precision) network_.process_next();
  arrived.insert(arrived.end(), arrived_.begin(), arrived_.end());
  arrived_.clear();
}

std::unique_ptr<Carrier> make_packet_carrier(const Platform& platform, Network&) {
  return std::make_unique<PacketCarrier>(platform);
}

// Sends the packets of one message over a network without other messages.
class LoneSender final : private PacketNetwork::Owner {
 public:
  explicit LoneSender(const pysmpi_lone_message& message)
      : train_(bytes_of_train(kind_of(message))), network_(1, buffers_of(kind_of(message)), *this) {
    std::vector<std::uint32_t> hops;
    for (std::uint32_t i = 0; i < message.route_links; ++i) {
      const std::uint32_t link = message.route[i];
      hops.push_back(network_.hop(
          network_.add_cable(message.bandwidths[link], message.latencies[link], message.fatpipes[link] == 0), 0));
    }
    way_ = network_.add_way(hops);
  }

  bool lacked_room() const { return network_.lacked_room(); }

  double arrival(double now, double bytes) {
    left_ = static_cast<std::uint64_t>(bytes);
    for (std::uint32_t packet = 0; packet < kWaiting; ++packet) {
      if (packet == 0 || left_ > 0) inject(now);
    }
    while (network_.injected() > network_.arrived()) {
      now = network_.next_time();
      network_.process_next();
    }
    return now;
  }

 private:
  void inject(double now) {
    const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(left_, train_));
    left_ -= bytes;
    network_.inject(now, way_, bytes, 0);
  }
  void packet_left(double now, std::uint32_t) override {
    if (left_ > 0) inject(now);
  }
  void packet_arrived(double, std::uint32_t) override {}
  void alarm(double, std::uint32_t) override {}
  ChosenWay choose_way(double, std::uint32_t, std::uint32_t) override { return {way_, 0}; }

  std::uint32_t train_;
  PacketNetwork network_;
  WayId way_ = kNone;
  std::uint64_t left_ = 0;
};

void explain_packets(const pysmpi_lone_message& message, pysmpi_lone_terms& out) {
  out.wire_bytes = message.bytes;
  out.leaves = message.sent;
  out.delay = message.latency;
  out.latency_factor = out.bandwidth_factor = 1.0;
  const std::span route(message.route, message.route_links);
  const bool alone =
      std::all_of(route.begin(), route.end(), [&](std::uint32_t link) { return message.fatpipes[link] != 0; });
  if (alone || message.bytes <= options().packet_bypass) {
    double seconds_per_byte = 0.0;
    for (std::uint32_t i = 0; i < message.route_links; ++i) {
      seconds_per_byte = std::max(seconds_per_byte, 1 / message.bandwidths[message.route[i]]);
    }
    out.arrives = message.sent + message.latency + message.bytes * seconds_per_byte;
  } else {
    LoneSender sender(message);
    out.arrives = sender.arrival(message.sent, message.bytes);
    out.lacks_room = sender.lacked_room() ? 1 : 0;
  }
  out.transfer = out.arrives - (out.leaves + out.delay);
  out.rate = out.transfer > 0 ? message.bytes / out.transfer : 0.0;
}

const NetworkModelRegistration packets_registration({"packets", make_packet_carrier, explain_packets});

}  // namespace
}  // namespace pysmpi
