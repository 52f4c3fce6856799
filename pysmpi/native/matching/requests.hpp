// Life cycle of requests, for the other files of this folder.
#pragma once

#include "matching/point_to_point.hpp"
#include "matching/queues.hpp"

namespace pysmpi {

// Messages and receives that wait for each other.
struct UnmatchedRequests : SimulationPart<UnmatchedRequests> {
  explicit UnmatchedRequests(RankId ranks);
  void extend(RankId ranks);  // adapts to an increased number of ranks

  MatchingQueues queues;
  std::vector<std::uint32_t> loans;  // number of unmatched requests of each rank that refer to its memory
};
// Notification of a rank, or of a schedule of it, when a message arrives.
struct Probe {
  Waiter* waiter = nullptr;
  // Exactly one of `waiter` and `vain` is set while something waits for a message; else the entry is free.
  bool* vain = nullptr;
  std::uint32_t context = 0;
  RankId sender = 0;
  std::int32_t tag = 0;
  RankId owner = -1;
};

struct Messages : SimulationPart<Messages> {
  explicit Messages(RankId ranks) : probes(ranks) {}

  std::uint64_t next_sequence = 0;    // Request::sequence of the next message or receive
  std::vector<Probe> probes;          // indexed by rank
  std::vector<Probe> further_probes;  // entries of ranks in which several threads wait
};

inline MatchingQueues& queues() { return UnmatchedRequests::current().queues; }

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

}  // namespace pysmpi
