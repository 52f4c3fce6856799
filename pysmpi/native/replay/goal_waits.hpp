// The operations of a GOAL program that wait for ever, for the report on a deadlock.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/goal.hpp"

namespace pysmpi {

// State of an operation: it waits for other operations, waits for its message, or is done.
enum class GoalProgress : std::uint8_t { kWaits, kPosted, kDone };

// An operation that blocks its rank, or the send of a message that no receive has matched.
struct GoalWait {
  OperationId id;
  bool blocks, posted;
  OperationId left;  // number of the rank's operations that are not done
};

// Return an operation for each rank that is not done: the first that waits for its message, or else the first that
// waits for other operations. The unmatched sends follow.
std::vector<GoalWait> goal_waits(const GoalProgram& program, const std::function<GoalProgress(OperationId)>& progress,
                                 std::vector<OperationId> unmatched_sends);

}  // namespace pysmpi
