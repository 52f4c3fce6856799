// Messages that wait for their receive, and receives that wait for their message. Exact matches are found in constant
// time through a hash table of (receiver, context, sender, tag); receives with wildcards stand in a list per receiver,
// and the earliest of the two kinds wins, as MPI's order demands (MPI 4.1, section 3.5).
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

class MatchingQueues {
 public:
  void reset(RankId ranks);
  void extend(RankId ranks);  // there are more of them now

  // The earliest posted receive that this message may go to; taken out. kNone when there is none.
  RequestId find_receive(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) const;
  RequestId take_receive(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag);
  void add_receive(RequestId id);

  // The waiting message for this receive; wildcards allowed. take_ takes it out, find_ leaves it there. SMPI's ranks
  // look for eager messages first (SimGrid 3.32, Request::start: the small mailbox): among those of several senders an
  // eager one comes before all others, then the earliest.
  RequestId take_send(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag);
  RequestId find_send(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) const;
  void add_send(RequestId id);

  void remove(RequestId id);  // a cancelled request, or a message taken by a matched probe

 private:
  struct Chain {  // requests that wait under one key: sends or receives, never both
    RankId receiver = -1;
    RankId sender = 0;
    std::uint32_t context = 0;
    std::int32_t tag = 0;
    RequestId first = kNone, last = kNone;
    bool empty() const { return first == kNone; }
  };
  struct List {
    RequestId first = kNone, last = kNone;
    void append(RequestId id);
    void remove(RequestId id);
  };

  List& list_of(const Request& send);
  // Most look-ups are for what has just been looked up: the second step of taking out or adding after looking.
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

  std::vector<Chain> table_;  // open addressing, linear probing, backward-shift deletion; size a power of two
  std::size_t used_ = 0;
  mutable Chain latest_;  // what was looked up last, if no chain has moved since; receiver -1: nothing
  mutable std::size_t latest_slot_ = 0;
  std::vector<List> wildcard_receives_;  // by receiver, in order of posting
  struct Waiting {
    List eager, others;
  };
  std::vector<Waiting> sends_in_order_;  // by receiver: for receives and probes with wildcards
};

}  // namespace pysmpi
