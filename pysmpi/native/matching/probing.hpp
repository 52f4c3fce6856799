// Polling for messages at SMPI's cost (SimGrid 3.32, Request::iprobe): each poll computes for smpi/iprobe seconds,
// times a counter that grows with every failed poll of any rank and is reset by a successful one.
#pragma once

#include "matching/point_to_point.hpp"

namespace pysmpi {

// One poll by the running rank, after its cost has passed. Sets found; false when the rank is being stopped.
bool poll_once(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found);

// Polls until a message is there, without waking the rank in between. Finds none when the rank that it is to come from
// has failed. False when the rank is being stopped.
bool poll_until_found(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found);

// The same at no cost (for matched probes, which SMPI lacks).
bool wait_until_found(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found);

// For what polls from the engine's loop. The waiter is told once the cost of a poll by this rank has passed. It then
// says so, and looks: kNone when no such message is there. While `vain` is set nothing is to be found (see
// watch_for_message), and the waiter need not be told of polls that end as long as it is: they are repeated.
void start_poll(RankId owner, Waiter* waiter, const bool* vain = nullptr);
void poll_has_ended();
RequestId look_for_message(RankId owner, const Communicator& communicator, Envelope envelope, bool vain = false);

// Nothing else is: what has not been found now will never come.
bool only_polls_are_under_way();

void end_probing();  // when a simulation ends

}  // namespace pysmpi
