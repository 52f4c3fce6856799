// Numbers that name things across the engine.
#pragma once

#include <cstdint>
#include <limits>

namespace pysmpi {

using RankId = std::int32_t;  // a rank of MPI_COMM_WORLD
using HostId = std::uint32_t;
using LinkId = std::uint32_t;
using FlowId = std::uint32_t;

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t kNone = 0xffffffffU;

}  // namespace pysmpi
