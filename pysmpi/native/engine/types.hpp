// Numbers that name things across the engine.
#pragma once

#include <cstdint>
#include <limits>

namespace pysmpi {

using RankId = std::int32_t;  // of MPI_COMM_WORLD, behind which spawned ranks follow in the order of their beginning
using HostId = std::uint32_t;
using LinkId = std::uint32_t;
using FlowId = std::uint32_t;

// Numbers of fibers: a rank's first thread has the rank's, other threads have numbers from here on.
inline constexpr std::int32_t kFirstThread = 1 << 30;

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t kNone = 0xffffffffU;

}  // namespace pysmpi
