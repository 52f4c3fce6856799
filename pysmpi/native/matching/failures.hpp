// Ranks whose processes end before their programs do (their host fails, or they are killed), and transfers whose link
// fails. What then happens in MPI follows User-Level Failure Mitigation; see docs/failures.md.
#pragma once

#include <cstdint>
#include <string>

#include "engine/types.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

// The rank does nothing any more, from this very moment. Transfers to and from it end, and what others receive from it
// or send to it, now or later, fails with MPIX_ERR_PROC_FAILED. Nothing when the rank has ended. Called from the
// engine's loop, or in the rank itself, which is then to block for ever.
void fail_rank(RankId rank);

// The network has dropped this flow (like one that has ended: its number is free) because one of its links has failed:
// both ends of the message get MPI_ERR_OTHER.
void fail_transfer(std::uint32_t token, LinkId link);

// A world rank; false of kAnySource and kProcNull.
bool has_failed(RankId rank);

inline Fault failure_of(RankId rank) { return {kErrProcFailed, static_cast<std::uint32_t>(rank)}; }

// What has failed, in words: for errors kErrProcFailed and kErrOther.
std::string describe(const Fault& fault);

}  // namespace pysmpi
