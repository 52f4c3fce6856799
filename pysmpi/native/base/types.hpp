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

// How flows share a link: the bandwidth is split among them, or each may have all of it.
enum class SharingPolicy : std::uint8_t { kShared, kFatpipe };

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t kNone = 0xffffffffU;

}  // namespace pysmpi
