// Basic types: numbers of ranks, hosts, links and flows.
#pragma once

#include <cstdint>
#include <limits>

namespace pysmpi {

using RankId = std::int32_t;  // rank in MPI_COMM_WORLD; spawned ranks get the following numbers in order of creation
using HostId = std::uint32_t;
using LinkId = std::uint32_t;
using FlowId = std::uint32_t;

// Lowest number of an additional thread. The first thread of a rank has the rank's number.
inline constexpr std::int32_t kFirstThread = 1 << 30;

// How flows use a link: they divide its bandwidth (kShared), or each flow may use the whole bandwidth (kFatpipe).
enum class SharingPolicy : std::uint8_t { kShared, kFatpipe };

// Capacity of a link, in bytes/s, while at least `flows` flows move on it.
struct CapacityStep {
  std::uint32_t flows;
  double capacity;
};

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr std::uint32_t kNone = 0xffffffffU;

}  // namespace pysmpi
