// Choice of the operations that a report on a deadlock names.
#include "replay/goal_waits.hpp"

#include <algorithm>

#include "base/types.hpp"

namespace pysmpi {

std::vector<GoalWait> goal_waits(const GoalProgram& program, const std::function<GoalProgress(OperationId)>& progress,
                                 std::vector<OperationId> unmatched_sends) {
  std::vector<GoalWait> waits;
  for (std::int32_t rank = 0; rank < program.ranks(); ++rank) {
    OperationId first = kNone, posted = kNone, left = 0;
    for (OperationId id = program.first[rank]; id < program.first[rank + 1]; ++id) {
      const GoalProgress each = progress(id);
      if (each == GoalProgress::kDone) continue;
      ++left;
      if (first == kNone) first = id;
      if (posted == kNone && each == GoalProgress::kPosted) posted = id;
    }
    if (left > 0) waits.push_back({posted == kNone ? first : posted, true, posted != kNone, left});
  }
  std::ranges::sort(unmatched_sends);
  for (const OperationId id : unmatched_sends) waits.push_back({id, false, true, 0});
  return waits;
}

}  // namespace pysmpi
