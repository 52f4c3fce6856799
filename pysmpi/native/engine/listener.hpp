// What the engine tells those who stand above it: message matching implements these.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

// The engine's side.
void flow_finished(std::uint32_t token);

// The rank does nothing any more, from this very moment. Transfers to and from it end, and what others receive from it
// or send to it, now or later, fails with MPIX_ERR_PROC_FAILED. Nothing when the rank has ended. Called from the
// engine's loop, or in the rank itself, which is then to block for ever.
void fail_rank(RankId rank);

// The network has dropped this flow (like one that has ended: its number is free) because one of its links has failed:
// both ends of the message get MPI_ERR_OTHER.
void fail_transfer(std::uint32_t token, LinkId link);

}  // namespace pysmpi
