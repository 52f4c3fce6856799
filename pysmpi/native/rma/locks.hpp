// Shared and exclusive locks on the members of a window, and locks on all members (MPI 4.1, section 12.5.3).
// Conflicting locks are granted in the order of the requests.
//
// Example: ranks 0, 1 and 2 request a shared, an exclusive and a shared lock on the same member, in this order. Rank 0
// gets its lock, rank 1 waits for rank 0, and rank 2 waits behind rank 1.
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
  // Request a lock on `target`, or on all members, for `member`. Both are ranks in the window. Returns true if the lock
  // is granted at once. Otherwise the waiter's pending count is incremented, and the waiter is notified when the lock
  // is granted.
  bool lock(std::int32_t member, std::int32_t target, bool exclusive, Waiter* waiter);
  bool lock_all(std::int32_t member, Waiter* waiter);

  void unlock(std::int32_t member, std::int32_t target);
  void unlock_all(std::int32_t member);

  void withdraw(const Waiter* waiter);  // cancels the waiter's requests

  // Returns the rank that prevents others from locking this member, the lowest if there are several, or -1.
  std::int32_t holder(std::int32_t target) const;
  // For requests to lock all members: the first member that is locked exclusively, and the rank that holds this lock,
  // or -1.
  struct ExclusiveLock {
    std::int32_t target = -1, holder = -1;
  };
  ExclusiveLock exclusive_lock() const;

 private:
  struct Waiting {
    std::uint64_t sequence;
    std::int32_t member;
    bool exclusive;
    Waiter* waiter;
  };
  struct Target {
    std::int32_t exclusive = -1;       // rank that holds the exclusive lock, or -1
    std::vector<std::int32_t> shared;  // ranks that hold shared locks
    std::deque<Waiting> waiting;
    bool idle() const { return exclusive < 0 && shared.empty() && waiting.empty(); }
  };

  bool is_free(const Target& target, const Waiting& request) const;
  bool all_are_free(const Waiting& request) const;
  void grant(Target& target, const Waiting& request);
  void settle(std::map<std::int32_t, Target>::iterator at);
  void settle_all();

  std::map<std::int32_t, Target> targets_;  // members with locks or requests
  std::vector<std::int32_t> all_;           // ranks that have locked all members
  std::deque<Waiting> waiting_for_all_;
  std::set<std::uint64_t> exclusives_waiting_;  // sequence numbers of waiting exclusive requests
  std::int32_t exclusives_held_ = 0;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
