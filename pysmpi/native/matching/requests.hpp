// Life cycle of requests, for the other files of this folder.
#pragma once

#include "matching/point_to_point.hpp"
#include "matching/queues.hpp"

namespace pysmpi {

extern MatchingQueues queues;

// Add an unmatched request to the queues.
void enqueue(RequestId id);

// Record that the request no longer refers to its owner's memory.
void end_loan(Request& r);

void end_wait(Request& r);    // ends the wait that await_alone began
void complete(RequestId id);  // marks the request complete and notifies its waiter
void let_go(RequestId id);    // releases the engine's hold on the request

// Remove a pending request from the queues and stop its transfer, without notifying anyone.
void withdraw(RequestId id);

// Return whether the request is a send whose bytes are not fetched yet, or a receive without a message.
inline bool waits(const Request& r) {
  return (r.flags & kHeld) && (r.flags & kIsSend ? r.partner == kNone : !(r.flags & kMatched));
}

void begin_requests(RankId ranks);
void extend_requests(RankId ranks);
void end_requests();

}  // namespace pysmpi
