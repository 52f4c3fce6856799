// Decision trees of MPICH 4 and 5: conditions on the communicator and the call, as in MPICH's JSON tuning files
// (maint/tuning/coll). Python reads them (pysmpi/simulation/collectives/mpich_tuning.py).
#pragma once

#include <cstdint>

#include "collectives/catalogue.hpp"

namespace pysmpi {

class DecidedCall;

// A condition on a call; `value` is the number that the condition compares with, if any.
using Condition = bool (*)(const DecidedCall& call, std::int64_t value);

// The trees of blocking collectives that consider nodes, of those that do not, and of nonblocking and persistent ones.
enum class Level : std::uint8_t { kDevice, kFlat, kNonblocking };
inline constexpr int kLevels = 3;

// A node of a decision tree. The next node is `then` if the condition's value equals `wanted`, else `otherwise`. A leaf
// has no condition; it names the algorithm to execute (`run`).
struct DecisionNode {
  Condition condition = nullptr;
  bool wanted = true;
  std::int64_t value = 0;
  std::int32_t then = -1, otherwise = -1;  // -1: the tree has no decision for the call
  Algorithm run = nullptr;
  std::int32_t parameter = 0;
};

// Executes the call by the tree of the level. If another tree than the flat level's makes no decision, the flat one is
// used; if that one makes none, the default selector decides.
Schedule decide(Level level, Operation operation, Runner& run, Arguments args);

// The algorithms that leaves may name, by MPICH's names without "MPIR_" and "MPIDI_". Algorithms of the device level
// communicate inside nodes and among nodes; the flat level's tree chooses the algorithm of each of these parts.
struct MpichAlgorithm {
  Level level;
  Operation operation;
  const char* name;
  Algorithm run;
  Algorithm in_mpich5 = nullptr;  // if MPICH 5 carries it out in another way than MPICH 4
};
std::span<const MpichAlgorithm> mpich_algorithms();

}  // namespace pysmpi
