// Matching queues: messages that wait for their receive, and receives that wait for their message. Exact matches are
// found in constant time in a hash table keyed by (receiver, context, sender, tag). Receives with wildcards are in a
// list per receiver. If the table and the list both have a match, the receive that was posted earlier is taken, as
// MPI's order requires (MPI 4.1, section 3.5).
//
// Example: rank 1 posts receive A from any source with tag 5, then receive B from rank 0 with tag 5. A message of rank
// 0 with tag 5 finds B in the hash table and A in the list. It matches A, which was posted first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "base/types.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

class MatchingQueues {
 public:
  void reset(RankId ranks);
  void extend(RankId ranks);  // adapts to an increased number of ranks

  // Return the earliest posted receive that accepts this message, or kNone. take_receive also removes it.
  RequestId find_receive(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) const;
  RequestId take_receive(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag);
  void add_receive(RequestId id);

  // Return the waiting message for this receive, whose sender and tag may be wildcards. take_send also removes it.
  // SMPI's ranks look for eager messages first (SimGrid 3.32, Request::start: the small mailbox). Therefore an eager
  // message of one sender is taken before messages of other senders that are not eager; otherwise the earliest message
  // is taken.
  // Messages of the same instant that are sent in later calls than `before` (Request::call_order) are not found.
  RequestId take_send(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag,
                      std::uint64_t before = kAnyCall);
  RequestId find_send(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag,
                      std::uint64_t before = kAnyCall);
  void add_send(RequestId id);

  // Call `visit` for each waiting message that a receive from any source accepts, and that was sent in this instant by
  // a call that comes after `order` (a value of Request::call_order).
  template <class Visit>
  void each_send_after(std::uint64_t order, RankId receiver, std::uint32_t context, std::int32_t tag, Visit&& visit) {
    for (List* const list : {&sends_in_order_[receiver].eager, &sends_in_order_[receiver].others}) {
      list->sort();
      for (RequestId id = list->last; id != kNone && follows_in_instant(request(id).call_order, order);) {
        const Request& r = request(id);
        if (r.context == context && (tag == kAnyTag || tag == r.tag)) visit(id);
        id = r.previous_in_order;
      }
    }
  }

  void remove(RequestId id);  // removes a cancelled request, or a message taken by a matched probe

 private:
  // Waiting requests with the same key; all are sends or all are receives.
  struct Chain {
    RankId receiver = -1;
    RankId sender = 0;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    RequestId first = kNone, last = kNone;
    bool empty() const { return first == kNone; }
  };
  struct List {
    RequestId first = kNone, last = kNone;
    bool in_order = true;  // the requests of the last instant are in the order of their calls
    void append(RequestId id);
    void append_by_call(RequestId id);
    void remove(RequestId id);
    void sort();
  };

  List& list_of(const Request& send);
  // Return the slot of a key. Most look-ups repeat the previous one, for example to remove the request that was just
  // found.
  std::size_t slot_of(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) const {
    const Chain& latest = latest_;
    const bool same =
        latest.receiver == receiver && latest.sender == sender && latest.context == context && latest.tag == tag;
    return same ? latest_slot_ : find_slot(receiver, context, sender, tag);
  }
  std::size_t find_slot(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) const;
  void append(RankId receiver, RequestId id, std::int32_t tag, RankId sender);
  void unlink_chain(RequestId id, RankId receiver, RankId sender);
  void erase_slot(std::size_t slot);
  void grow();

  // Open addressing with linear probing and backward-shift deletion; the size is a power of two.
  std::vector<Chain, LargePages<Chain>> table_;
  std::size_t used_ = 0;
  // Key of the last look-up, whose chain is at latest_slot_. `latest_.receiver` is -1 if chains have moved in the table
  // since then.
  mutable Chain latest_;
  mutable std::size_t latest_slot_ = 0;
  std::vector<List, LargePages<List>> wildcard_receives_;  // indexed by receiver, in order of posting
  struct Waiting {
    List eager, others;
  };
  // Indexed by receiver; for receives and probes with wildcards.
  std::vector<Waiting, LargePages<Waiting>> sends_in_order_;
};

}  // namespace pysmpi
