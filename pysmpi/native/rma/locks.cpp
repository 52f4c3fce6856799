// Grants and queues of window locks.
#include "rma/locks.hpp"

#include <algorithm>

namespace pysmpi {

bool WindowLocks::is_free(const Target& target, const Waiting& request) const {
  if (target.exclusive >= 0) return false;
  if (!request.exclusive) return true;
  const bool after_one_for_all = !waiting_for_all_.empty() && waiting_for_all_.front().sequence < request.sequence;
  return target.shared.empty() && all_.empty() && !after_one_for_all;
}

bool WindowLocks::all_are_free(const Waiting& request) const {
  return exclusives_held_ == 0 && (exclusives_waiting_.empty() || *exclusives_waiting_.begin() > request.sequence);
}

void WindowLocks::grant(Target& target, const Waiting& request) {
  if (request.exclusive) {
    target.exclusive = request.member;
    ++exclusives_held_;
  } else {
    target.shared.push_back(request.member);
  }
}

bool WindowLocks::lock(std::int32_t member, std::int32_t target, bool exclusive, Waiter* waiter) {
  const Waiting request{next_sequence_++, member, exclusive, waiter};
  Target& found = targets_[target];
  if (found.waiting.empty() && is_free(found, request)) {
    grant(found, request);
    return true;
  }
  if (exclusive) exclusives_waiting_.insert(request.sequence);
  found.waiting.push_back(request);
  ++waiter->pending;
  return false;
}

bool WindowLocks::lock_all(std::int32_t member, Waiter* waiter) {
  const Waiting request{next_sequence_++, member, false, waiter};
  if (waiting_for_all_.empty() && all_are_free(request)) {
    all_.push_back(member);
    return true;
  }
  waiting_for_all_.push_back(request);
  ++waiter->pending;
  return false;
}

// Grants the requests for this member that have become possible. Removes the member's entry if it is no longer used.
void WindowLocks::settle(std::map<std::int32_t, Target>::iterator at) {
  Target& target = at->second;
  while (!target.waiting.empty() && is_free(target, target.waiting.front())) {
    const Waiting request = target.waiting.front();
    target.waiting.pop_front();
    if (request.exclusive) exclusives_waiting_.erase(request.sequence);
    grant(target, request);
    request.waiter->completed_one();
  }
  if (target.idle()) targets_.erase(at);
}

void WindowLocks::settle_all() {
  while (!waiting_for_all_.empty() && all_are_free(waiting_for_all_.front())) {
    const Waiting request = waiting_for_all_.front();
    waiting_for_all_.pop_front();
    all_.push_back(request.member);
    request.waiter->completed_one();
  }
}

void WindowLocks::unlock(std::int32_t member, std::int32_t target) {
  const auto at = targets_.find(target);
  if (at == targets_.end()) return;
  Target& found = at->second;
  if (found.exclusive == member) {
    found.exclusive = -1;
    --exclusives_held_;
  } else if (const auto mine = std::find(found.shared.begin(), found.shared.end(), member);
             mine != found.shared.end()) {
    found.shared.erase(mine);
  }
  settle(at);
  settle_all();
}

void WindowLocks::unlock_all(std::int32_t member) {
  if (const auto mine = std::find(all_.begin(), all_.end(), member); mine != all_.end()) all_.erase(mine);
  settle_all();
  if (!all_.empty() || exclusives_waiting_.empty()) return;
  for (auto at = targets_.begin(); at != targets_.end();) settle(at++);
}

void WindowLocks::withdraw(const Waiter* waiter) {
  const auto is_its = [waiter](const Waiting& request) { return request.waiter == waiter; };
  std::erase_if(waiting_for_all_, is_its);
  for (auto& [number, target] : targets_) {
    for (const Waiting& request : target.waiting) {
      if (is_its(request)) exclusives_waiting_.erase(request.sequence);
    }
    std::erase_if(target.waiting, is_its);
  }
}

std::int32_t WindowLocks::holder(std::int32_t target) const {
  const auto at = targets_.find(target);
  if (at != targets_.end() && at->second.exclusive >= 0) return at->second.exclusive;
  std::int32_t lowest = all_.empty() ? -1 : *std::min_element(all_.begin(), all_.end());
  if (at == targets_.end()) return lowest;
  for (const std::int32_t member : at->second.shared) lowest = lowest < 0 ? member : std::min(lowest, member);
  return lowest;
}

WindowLocks::ExclusiveLock WindowLocks::exclusive_lock() const {
  for (const auto& [number, target] : targets_) {
    if (target.exclusive >= 0) return {number, target.exclusive};
  }
  return {};
}

}  // namespace pysmpi
