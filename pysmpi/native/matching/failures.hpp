// Ranks whose processes end before their programs do (their host fails, or they are killed), and transfers whose link
// fails. What then happens in MPI follows User-Level Failure Mitigation; see docs/failures.md.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"
#include "engine/listener.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

// A world rank; false of kAnySource and kProcNull.
bool has_failed(RankId rank);

inline Fault failure_of(RankId rank) { return {kErrProcFailed, static_cast<std::uint32_t>(rank)}; }

// What has failed, in words: for errors kErrProcFailed and kErrOther.
std::string describe(const Fault& fault);

}  // namespace pysmpi
