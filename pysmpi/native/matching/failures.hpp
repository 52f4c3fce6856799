// Failures: ranks whose processes end early because their host fails or they are killed, and transfers whose link
// fails. The consequences in MPI follow User-Level Failure Mitigation; see docs/failures.md.
#pragma once

#include <cstdint>
#include <string>

#include "base/types.hpp"
#include "engine/listener.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

// Return whether a world rank has failed; false for kAnySource and kProcNull.
bool has_failed(RankId rank);

inline Fault failure_of(RankId rank) { return {kErrProcFailed, static_cast<std::uint32_t>(rank)}; }

// Describe the failed rank or link, for the errors kErrProcFailed and kErrOther.
std::string describe(const Fault& fault);

}  // namespace pysmpi
