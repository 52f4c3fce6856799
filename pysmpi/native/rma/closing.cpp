// Closes and opens the lists of transfers of a window's members.
#include "rma/closing.hpp"

#include <algorithm>

#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/probing.hpp"

namespace pysmpi {

ClosedList::ClosedList(Window& window, std::int32_t member, bool in_turn, const char* call)
    : lock_(window.members[member].lock) {
  if (!inside_rank()) return;
  const RankId me = simulation().running;
  const std::uint64_t order = simulation().call_order();  // SMPI counts the lock and the unlock as calls
  if (in_turn || lock_.turns > 0) {
    ++lock_.turns;
    held_ = await_earlier_calls(order, call);
    --lock_.turns;
    if (!held_) return;
  }
  if (lock_.holder < 0 || has_failed(lock_.holder)) {
    lock_.holder = me;
    return;
  }
  Fiber& fiber = running_fiber();
  lock_.waiting.push_back(&fiber);
  ++fiber.pending;
  fiber.place = simulation().next_call();
  held_ = block({.call = call, .kind = WaitKind::kOther, .communicator = window.handle});
  if (!held_) std::erase(lock_.waiting, &fiber);
}

ClosedList::~ClosedList() {
  if (!held_ || !inside_rank()) return;
  simulation().call_order();
  if (lock_.waiting.empty()) {
    lock_.holder = -1;
    return;
  }
  Fiber* const next = lock_.waiting.front();
  lock_.waiting.erase(lock_.waiting.begin());
  lock_.holder = next->rank;
  next->completed_one();
}

}  // namespace pysmpi
