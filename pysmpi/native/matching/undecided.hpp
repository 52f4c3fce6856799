// Messages and receives of the present instant whose match depends on the order of the calls of several ranks.
//
// A receive from any source takes the first message that is sent. In SMPI all ready ranks make one call each, then all
// of them their next call; here a rank makes all its calls of an instant before the next rank runs. So a message that
// could match such a receive, and the receive itself, are not matched when they are posted. They are matched after all
// ready ranks have run, in the order of their calls (Simulation::call_order). A match may let a rank continue; it runs
// before the next post is decided. All other messages are matched at once, because their order cannot matter.
//
//     rank 1 runs first:   Isend to rank 2 (call 1), Isend to rank 0 (call 2)
//     rank 2 runs next:    Isend to rank 0 (call 1)
//     rank 0's receive from any source gets rank 2's message
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "base/waiter.hpp"
#include "matching/request.hpp"

namespace pysmpi {

class UndecidedPosts {
 public:
  void extend(RankId ranks) { of_receiver_.resize(ranks); }

  // Return whether a message to this receiver, or a receive by it, is still undecided. Later messages to the receiver,
  // and later receives by it, must then be added too, so that all are matched in the order of their calls.
  bool concern(RankId receiver) const { return !posts_.empty() && of_receiver_[receiver] > 0; }

  // Add a message or receive that is to be matched later, in the order of calls. `receiver` is the rank that receives.
  // `waits_already` is true for a send that is in the queues already; it becomes undecided if a receive is posted that
  // SMPI would have posted before the send.
  void add(RequestId id, RankId receiver, bool waits_already = false);

  // Let a waiter continue after all calls that come before `order` have been made and matched. Returns false, without
  // effect, if no rank is ready and nothing is undecided: then no earlier call can follow.
  bool add_waiter(std::uint64_t order, Waiter* waiter);

  // Match the message or receive with the earliest call. decide_all matches all of them, and decide_before those of
  // calls before `order`.
  void decide_next();
  void decide_all();
  void decide_before(std::uint64_t order);

 private:
  struct Post {
    std::uint64_t order, sequence;
    RequestId id;
    RankId receiver;
    bool waits_already;
    Waiter* waiter;  // null for a message or a receive
  };
  static bool is_later(const Post& a, const Post& b);

  std::vector<Post> posts_;                 // a heap, the earliest call first
  std::vector<std::uint32_t> of_receiver_;  // number of posts, by receiver
};

}  // namespace pysmpi
