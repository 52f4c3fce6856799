// Bytes that a set of messages puts on each link, and the busiest link: a lower bound of the messages' time under every
// model in which links share their bandwidth, because a link passes at most its bandwidth. Nothing is simulated.
//
// Example: hosts 0, 1 and 2 send 1 MB each to host 3 over a switch with cables of 1 GB/s. Host 3's cable carries 3 MB,
// all others at most 1 MB. No network delivers the messages in less than 3 ms.
#pragma once

#include <cstdint>
#include <span>

#include "platform/platform.hpp"

namespace pysmpi {

// A set of messages: one for each element of `sources`.
struct MessageSet {
  std::span<const HostId> sources, destinations;  // end points of each message
  std::span<const double> sizes;                  // bytes: one for each message, or a single one for all
  std::uint64_t first_message;                    // number of the first message, by which random routings draw
};

// Adds the messages' bytes to `link_bytes`, which is indexed by the platform's links. Returns the index of the first
// message whose hosts are not connected, or the number of messages if all are.
//
// If a routing draws routes at random, each message is divided evenly among `draws` of them. Links that a routing
// chooses by their load are left out, because a simulation may choose others: a bound must not count them.
std::size_t add_link_bytes(const Platform& platform, const MessageSet& messages, std::uint32_t draws,
                           std::span<double> link_bytes);

// Returns the link that takes longest to pass its bytes and sets `seconds` to that time; kNone if no link that messages
// share has bytes.
LinkId busiest_link(const Platform& platform, std::span<const double> link_bytes, double& seconds);

}  // namespace pysmpi
