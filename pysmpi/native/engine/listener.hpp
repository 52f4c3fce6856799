// Functions by which the engine notifies message matching, which implements them.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

// The flow with this token has arrived; the token is the number of its request.
void flow_finished(std::uint32_t token);

// End a rank immediately; does nothing if it has ended. Its transfers end, and what others receive from it or send to
// it, now or later, fails with MPIX_ERR_PROC_FAILED. Called from the engine's loop, or in the rank itself, which must
// then block forever.
void fail_rank(RankId rank);

// A transfer has failed because a link is off. The network has already removed the flow, whose number is free. Both
// sides of the message get MPI_ERR_OTHER.
void fail_transfer(std::uint32_t token, LinkId link);

}  // namespace pysmpi
