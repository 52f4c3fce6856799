// The pool of requests and the functions that end a request. The other files of this folder use them, and so do other
// activities that have requests (schedules, file accesses).
#pragma once

#include <unordered_map>

#include "matching/mutex.hpp"
#include "matching/point_to_point.hpp"
#include "matching/queues.hpp"
#include "matching/received.hpp"
#include "matching/undecided.hpp"

namespace pysmpi {

// Messages that wait for their receive, and receives that wait for their message.
struct UnmatchedRequests : SimulationPart<UnmatchedRequests> {
  explicit UnmatchedRequests(RankId ranks);
  void extend(RankId ranks);  // adapts to an increased number of ranks

  MatchingQueues queues;
  UndecidedPosts undecided;
  std::vector<std::uint32_t> loans;  // number of unmatched requests of each rank that refer to its memory
};

// An entry that makes a rank, or one of its schedules, continue when a message arrives.
struct Probe {
  Waiter* waiter = nullptr;
  // While a fiber or a schedule waits for a message, exactly one of `waiter` and `unsuccessful` is set. If neither is
  // set, the entry is free.
  bool* unsuccessful = nullptr;
  std::uint32_t context = 0;
  RankId sender = 0;
  std::int32_t tag = 0;
  RankId owner = -1;
};

// State of message matching that is not in the queues: sequence numbers, waiting probes, and locks of mailboxes.
struct Messages : SimulationPart<Messages> {
  explicit Messages(RankId ranks) : probes(ranks) {}

  std::uint64_t next_sequence = 0;              // Request::sequence of the next message or receive
  std::vector<Probe> probes;                    // indexed by rank
  std::vector<Probe> further_probes;            // entries of ranks in which several threads wait
  std::unordered_map<RankId, Mutex> mailboxes;  // made when first locked; looked up, never iterated
  ReceivedMemory received;                      // empty unless the carrier asks for it (Carrier::slows_forwarded)
};

inline MatchingQueues& queues() { return UnmatchedRequests::current().queues; }
inline UndecidedPosts& undecided_posts() { return UnmatchedRequests::current().undecided; }

// begin_loan records that the request waits for its match and, if its message is in its owner's memory, that it refers
// to this memory. enqueue does the same, and puts the request into the queues.
void begin_loan(Request& r);
void enqueue(RequestId id);

// Match a send with a posted receive (or a receive with a message that waits), or put it into the queues if there is
// none. `waits_already` is true if the send is in the queues already.
void match_or_enqueue_send(RequestId id, bool waits_already);
void match_or_enqueue_receive(RequestId id);

// Record that the request no longer refers to its owner's memory.
void end_loan(Request& r);

void end_wait(Request& r);        // the owner no longer waits for this request alone (await_alone)
void complete(RequestId id);      // also wakes the request's waiter
void release_hold(RequestId id);  // the engine no longer refers to the request

// Take an unmatched request out of the queues, or stop a message under way. Its waiter is not woken.
void withdraw(RequestId id);

// Return whether the request waits for its match: a receive that is not matched yet, or a send that has no receive yet,
// even if it is detached and therefore complete for its sender.
inline bool waits(const Request& r) {
  return (r.flags & kHeld) && (r.is_send() ? r.partner == kNone : !(r.flags & kMatched));
}

}  // namespace pysmpi
