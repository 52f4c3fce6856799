// Functions that the engine calls to notify message matching; the folder matching implements them.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

// Handle the end of a flow, which means that all bytes of a message have arrived. `token` is the number of the
// message's request.
void flow_finished(std::uint32_t token);
// flow_finished will be called for the token soon, after other calls: prefetch the request, and then who waits for it.
void prefetch_request(std::uint32_t token);
void prefetch_waiter(std::uint32_t token);

// End a rank immediately; does nothing if the rank has ended. Its transfers end. Receives from this rank and sends to
// it, pending or later, fail with MPIX_ERR_PROC_FAILED. Called from the engine's loop, or in the rank itself, which
// must then block forever.
void fail_rank(RankId rank);

// Match the earliest message or receive whose partner is not decided yet; Simulation::undecided is their number
// (matching/undecided.hpp).
void decide_next_match();

// Handle the failure of a transfer because a link is off: both sides of the message get MPI_ERR_OTHER. The network has
// already removed the flow, whose number may be reused.
void fail_transfer(std::uint32_t token, LinkId link);

// Start the messages and schedules that have waited until the rank is inside MPI, or has ended (smpi/progress:calls).
void rank_enters(RankId rank);

}  // namespace pysmpi
