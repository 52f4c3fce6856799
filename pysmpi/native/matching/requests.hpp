// Where requests live and how they end: for the other files of this folder.
#pragma once

#include "matching/point_to_point.hpp"
#include "matching/queues.hpp"

namespace pysmpi {

extern MatchingQueues queues;

// It waits to be matched, and stands in the queues until then.
void enqueue(RequestId id);

// It no longer refers to its owner's memory.
void end_loan(Request& r);

void end_wait(Request& r);    // its owner does not wait for it alone any more (await_alone)
void complete(RequestId id);  // its waiter is told
void let_go(RequestId id);    // the engine no longer refers to it

// Takes a request that waits out of the queues; a message on its way is stopped. Nobody is told.
void withdraw(RequestId id);

// A send whose bytes another rank has still to fetch, or a receive without a message.
inline bool waits(const Request& r) {
  return (r.flags & kHeld) && (r.flags & kIsSend ? r.partner == kNone : !(r.flags & kMatched));
}

void begin_requests(RankId ranks);
void extend_requests(RankId ranks);
void end_requests();

}  // namespace pysmpi
