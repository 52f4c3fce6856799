// Decisions of MPICH 4.1 to 5: trees of conditions on the communicator and the call, as its JSON tuning files have them
// (maint/tuning/coll). Made in Python (pysmpi/collectives/mpich_tuning.py), which also has MPICH's own.
#pragma once

#include <cstdint>

#include "collectives/catalogue.hpp"

namespace pysmpi {

enum class Condition : std::uint8_t {
  kAlways,
  kIntracommunicator,
  kRanksAtMost,
  kRanksBelow,
  kRanksPowerOfTwo,
  kRanksOfOneNode,    // they share one
  kHierarchical,      // ranks of several nodes, several on some node
  kRanksConsecutive,  // those of each node follow one another
  kRanksPerNodeAtMost,
  kRanksPerNodeBelow,
  kBytesAtMost,  // of the buffer, or of one block
  kBytesBelow,
  kTotalBytesAtMost,  // times the ranks, or of all blocks
  kTotalBytesBelow,
  kBytesPerRankAtMost,  // of the buffer, divided by the ranks
  kBytesPerRankBelow,
  kCountAtMost,
  kCountBelowPowerOfTwo,  // below the largest power of two that is no more than the ranks
  kInPlace,
  kEqualCounts,
  kCommutative,
  kPredefinedReduction,
};

enum class Level : std::uint8_t { kDevice, kFlat };

// One decision: where the condition holds as wanted, `then` comes next, else `otherwise`; a node without a condition
// (`run`) decides.
struct DecisionNode {
  Condition condition = Condition::kAlways;
  bool wanted = true;
  std::int64_t value = 0;
  std::int32_t then = -1, otherwise = -1;  // -1: the tree knows nothing of the call
  Algorithm run = nullptr;
  std::int32_t parameter = 0;
};

// By the tree of the level, or by a library's usual algorithm where it has nothing to say.
Schedule decide(Level level, Operation operation, Runner& run, Arguments a);

// The algorithms that leaves can name, by MPICH's names without "MPIR_" and "MPIDI_"; those of the device level go by
// nodes and turn to the flat level for their parts.
struct MpichAlgorithm {
  Level level;
  Operation operation;
  const char* name;
  Algorithm run;
};
std::span<const MpichAlgorithm> mpich_algorithms();

}  // namespace pysmpi
