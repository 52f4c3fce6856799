// Locks and unlocks mutexes in the order of SMPI's calls.
#include "matching/mutex.hpp"

#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/probing.hpp"

namespace pysmpi {

bool Mutex::lock(const BlockedOn& on) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  if (fiber.stopping || !await_earlier_calls(engine.call_order(), on.call)) return false;
  if (holder_ < 0 || has_failed(holder_)) {
    holder_ = fiber.rank;
    return true;
  }
  waiting_.push_back(&fiber);
  ++fiber.pending;
  fiber.place = engine.next_call();
  if (block(on)) return true;
  std::erase(waiting_, &fiber);
  return false;
}

void Mutex::unlock(const char* call) {
  Simulation& engine = simulation();
  const std::uint64_t order = engine.call_order();
  if (!running_fiber().stopping) await_earlier_calls(order, call);
  std::erase_if(waiting_, [](const Fiber* fiber) { return has_failed(fiber->rank); });
  if (waiting_.empty()) {
    holder_ = -1;
    return;
  }
  Fiber* const next = waiting_.front();
  waiting_.erase(waiting_.begin());
  holder_ = next->rank;
  engine.answer_before(*next);
}

Locked::Locked(Mutex& mutex, const BlockedOn& on)
    : mutex_(mutex), call_(on.call), held_(!inside_rank() || mutex.lock(on)) {}

Locked::~Locked() {
  if (held_ && inside_rank()) mutex_.unlock(call_);
}

}  // namespace pysmpi
