// The calls that SMPI makes when it posts a message or a receive, if messages may be eager (smpi/async-small-thresh).
// SMPI then locks the receiver's mailboxes, searches one or both of them, posts, and unlocks them (SimGrid 3.32,
// Request::start). Small messages and receives have a mailbox of their own.
#pragma once

#include <cstdint>

#include "base/options.hpp"
#include "engine/simulation.hpp"
#include "matching/point_to_point.hpp"
#include "matching/protocol.hpp"

namespace pysmpi {

// Return whether SMPI locks the mailboxes when it posts a message to, or a receive from, this world rank.
inline bool locks_mailboxes(RankId peer) {
  return options().async_small_threshold > 0 && peer != kProcNull && simulation_active();
}

// Return the number of calls before the one that posts. One call, which unlocks the mailboxes, comes after it.
std::uint32_t calls_before_send(RankId sender, RankId receiver, Envelope envelope, std::int64_t bytes, SendMode mode);
std::uint32_t calls_before_receive(RankId receiver, RankId sender, Envelope envelope, std::int64_t bytes);

}  // namespace pysmpi
