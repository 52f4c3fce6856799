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

void end_probing();  // when a simulation ends

}  // namespace pysmpi
