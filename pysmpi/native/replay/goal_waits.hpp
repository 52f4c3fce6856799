// The operations of a GOAL program that wait for ever, for the report on a deadlock.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/goal.hpp"

namespace pysmpi {

// How far an operation has come.
enum class GoalProgress : std::uint8_t { kWaits, kPosted, kDone };  // waits for other operations, for its message, …

// An operation that blocks its rank, or the send of a message that no receive has matched.
struct GoalWait {
  OperationId id;
  bool blocks, posted;
  OperationId left;  // number of the rank's operations that are not done
};

// Return for each rank with operations that are not done the first one that waits for its message, or else the first
// one of all; then the unmatched sends.
std::vector<GoalWait> goal_waits(const GoalProgram& program, const std::function<GoalProgress(OperationId)>& progress,
                                 std::vector<OperationId> unmatched_sends);

}  // namespace pysmpi
