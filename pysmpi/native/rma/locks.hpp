// Locks on the members of a window, shared and exclusive, and the one on all of them (MPI 4.1, section 12.5.3). They
// are granted in the order in which they were asked for, as far as they conflict.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "base/waiter.hpp"

namespace pysmpi {

class WindowLocks {
 public:
  // True when it is granted at once; else the waiter is told once it is, and its pending count includes that. Members
  // are numbered by their ranks in the window.
  bool lock(std::int32_t member, std::int32_t target, bool exclusive, Waiter* waiter);
  bool lock_all(std::int32_t member, Waiter* waiter);

  void unlock(std::int32_t member, std::int32_t target);
  void unlock_all(std::int32_t member);

  void withdraw(const Waiter* waiter);  // it does not wait any more

  // Who keeps others from locking this member, the lowest of several; -1: nobody.
  std::int32_t holder(std::int32_t target) const;
  // The same of those who wait to lock all: the first member that is locked exclusively, and by whom; -1: none is.
  struct Obstacle {
    std::int32_t target = -1, holder = -1;
  };
  Obstacle obstacle() const;

 private:
  struct Waiting {
    std::uint64_t sequence;
    std::int32_t member;
    bool exclusive;
    Waiter* waiter;
  };
  struct Target {
    std::int32_t exclusive = -1;       // who holds it; -1: nobody
    std::vector<std::int32_t> shared;  // who do
    std::deque<Waiting> waiting;
    bool idle() const { return exclusive < 0 && shared.empty() && waiting.empty(); }
  };

  bool is_free(const Target& target, const Waiting& request) const;
  bool all_are_free(const Waiting& request) const;
  void grant(Target& target, const Waiting& request);
  void settle(std::map<std::int32_t, Target>::iterator at);
  void settle_all();

  std::map<std::int32_t, Target> targets_;  // those that are locked or waited for
  std::vector<std::int32_t> all_;           // who has locked all
  std::deque<Waiting> waiting_for_all_;
  std::set<std::uint64_t> exclusives_waiting_;  // their sequences
  std::int32_t exclusives_held_ = 0;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
