// Locks and unlocks mutexes in the order of SMPI's calls.
#include "matching/mutex.hpp"

#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

Blocked Mutex::turn(const char* call) {
  Fiber& fiber = running_fiber();
  const std::uint64_t order = simulation().call_order();
  if (fiber.in_task || fiber.stopping || !undecided_posts().add_waiter(order, &fiber)) return Blocked::not_at_all();
  return Blocked({.call = call, .kind = WaitKind::kTime, .spent = Spent::kPolling});
}

Blocked Mutex::take(const BlockedOn& on) {
  Fiber& fiber = running_fiber();
  if (holder_ < 0 || has_failed(holder_)) {
    holder_ = fiber.rank;
    return Blocked::not_at_all();
  }
  waiting_.push_back(&fiber);
  ++fiber.pending;
  fiber.place = simulation().next_call();
  return Blocked(on);
}

void Mutex::give() {
  std::erase_if(waiting_, [](const Fiber* fiber) { return has_failed(fiber->rank); });
  if (waiting_.empty()) {
    holder_ = -1;
    return;
  }
  Fiber* const next = waiting_.front();
  waiting_.erase(waiting_.begin());
  holder_ = next->rank;
  simulation().answer_before(*next);
}

Steps<bool> Mutex::locking(BlockedOn on) {
  if (running_fiber().stopping) co_return false;
  const bool has_turn = co_await turn(on.call);
  if (!has_turn) co_return false;
  const bool taken = co_await take(on);
  if (!taken) std::erase(waiting_, &running_fiber());  // the rank is being stopped
  co_return taken;
}

Steps<bool> Mutex::unlocking(const char* call) {
  co_await turn(call);
  give();
  co_return true;
}

bool Mutex::lock(const BlockedOn& on) { return run(locking(on)); }
void Mutex::unlock(const char* call) { run(unlocking(call)); }

Locked::Locked(Mutex& mutex, const BlockedOn& on)
    : mutex_(mutex), call_(on.call), held_(!inside_rank() || mutex.lock(on)) {}

Locked::~Locked() {
  if (held_ && inside_rank()) mutex_.unlock(call_);
}

}  // namespace pysmpi
