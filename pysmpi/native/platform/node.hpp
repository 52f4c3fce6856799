// The inside of hosts: memory bandwidth, sockets, network card, and the latency and bandwidth of messages, which depend
// on the sockets of both cores.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// The distance between the cores of two ranks: the same socket, another socket of the host, another host.
enum class NodeLevel : std::uint8_t { kCore, kSocket, kNode };
inline constexpr std::size_t kNodeLevels = 3;

// A part of a host that limits what several messages move together: its memory, or its network card in a direction.
enum class HostPart : std::uint8_t { kMemory, kCardOut, kCardIn };
struct HostLink {
  HostId host = kNone;  // kNone for links of the platform
  HostPart part = HostPart::kMemory;
  std::uint32_t card = 0;  // number of the card
};

// A step of the table for one NodeLevel. It applies to sizes above `above` (bytes), up to and including the next
// `above`.
struct NodeStep {
  double above;
  double latency;    // s
  double bandwidth;  // bytes/s: the highest rate of one message
};

// A step of the share of the memory bandwidth that messages take. It applies to the same range of sizes as a NodeStep.
struct ShareStep {
  double above;
  double share;  // bytes of memory_bandwidth per byte of the message
};

// Properties of consecutive hosts.
struct NodeGroup {
  HostId first;
  std::uint32_t count;
  std::uint32_t sockets;  // the cores of a host are divided evenly among its sockets, in order
  // Bytes/s that all messages of a host share, by the number of messages that move; empty for no limit.
  std::vector<CapacityStep> memory{};
  // Bytes/s that messages through a card from a host to other hosts share, and those to it; empty for no limit.
  std::vector<CapacityStep> card{};
  std::uint32_t cards = 1;  // network cards, each with these capacities; ranks use them by their cores, in order
  // Consecutive hosts that are in a rack, or 0, and the seconds that a message to a host of another rack takes longer.
  std::uint32_t rack = 0;
  double rack_latency = 0.0;
  // Tables by level, sorted by `above`; messages of a level with an empty table take the platform's route.
  std::array<std::vector<NodeStep>, kNodeLevels> levels{};

  // Share of the memory that a message inside a host takes, sorted by `above`; empty for 1.
  std::vector<ShareStep> shares{};

  // Highest rate (bytes/s) of a message whose data the sender has received before, so that they are modified lines of
  // its cache. Indexed by level, for kCore and kSocket; 0 for no such limit.
  std::array<double, 2> forwarding{};

  // True if all senders of a host put their messages for a rank into one queue (NodeWays::queue_latency).
  bool shared_queue = false;

  // Seconds that a message takes longer if its receiver has partners both on its host and on others
  // (NodeWays::polling_latency).
  double polling = 0.0;

  double card_gap = 0.0;  // seconds for which a message occupies the network card (NodeCards)

  // Cost of each other rank of the message's hosts that waits inside MPI: it lowers a bandwidth of b bytes/s to b / (1
  // + waiting_cost * ranks).
  double waiting_cost = 0.0;

  // Return the step for a message of `bytes`, or null if the level has no table. The first step also applies to sizes
  // below it.
  const NodeStep* step(NodeLevel level, double bytes) const {
    const NodeStep* found = nullptr;
    for (const NodeStep& step : levels[static_cast<std::size_t>(level)]) {
      if (found != nullptr && bytes <= step.above) break;
      found = &step;
    }
    return found;
  }

  // Return the seconds that a message between two hosts of the group takes longer if they are in different racks.
  double latency_between(HostId one, HostId other) const {
    return rack == 0 || (one - first) / rack == (other - first) / rack ? 0.0 : rack_latency;
  }

  // Return the bytes of the memory that a message of `bytes` inside the host takes per byte.
  double memory_share(double bytes) const {
    double share = 1.0;
    for (const ShareStep& step : shares) {
      if (bytes > step.above || &step == &shares.front()) share = step.share;
    }
    return share;
  }

  bool slows_forwarded() const { return forwarding[0] > 0.0 || forwarding[1] > 0.0; }

  // Return the highest rate of a message inside the host whose data its sender has received.
  double forwarding_of(NodeLevel level) const {
    const double rate = forwarding[static_cast<std::size_t>(level)];
    return rate > 0.0 ? rate : std::numeric_limits<double>::infinity();
  }

  // Return the level of two cores of a host with `cores` cores.
  NodeLevel level_of(std::uint32_t one, std::uint32_t other, std::uint32_t cores) const {
    return socket_of(one, cores) == socket_of(other, cores) ? NodeLevel::kCore : NodeLevel::kSocket;
  }

  std::uint32_t card_of(std::uint32_t core, std::uint32_t cores) const {
    return static_cast<std::uint32_t>(std::uint64_t{core % cores} * cards / cores);
  }

  std::uint32_t socket_of(std::uint32_t core, std::uint32_t cores) const {
    return static_cast<std::uint32_t>(std::uint64_t{core % cores} * sockets / cores);
  }
};

}  // namespace pysmpi
