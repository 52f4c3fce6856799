// Functions by which the engine notifies message matching, which implements them.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

// The flow with this token has arrived; the token is the number of its request.
void flow_finished(std::uint32_t token);

// End a rank immediately; does nothing if the rank has ended. Its transfers end. Receives from this rank and sends to
// it, pending or later, fail with MPIX_ERR_PROC_FAILED. Called from the engine's loop, or in the rank itself, which
// must then block forever.
void fail_rank(RankId rank);

// A transfer has failed because a link is off. The network has already removed the flow, whose number is free. Both
// sides of the message get MPI_ERR_OTHER.
void fail_transfer(std::uint32_t token, LinkId link);

}  // namespace pysmpi
