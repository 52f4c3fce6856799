// Compound requests: requests that are complete when several messages are. MPI_Isendrecv and partitioned communication
// use them.
#pragma once

#include <memory>

#include "matching/point_to_point.hpp"

namespace pysmpi {

// Create a request of `owner` that waits for `messages` messages. To the program it looks like a receive from, or a
// send to, the envelope's peer. With zero messages it is complete at once.
RequestId begin_compound(RankId owner, const Communicator& communicator, RequestFlag kind, Envelope envelope,
                         std::int32_t messages);

// Increase the number of messages by `more`.
void expect_messages(RequestId whole, std::int32_t more);

// Add a posted message. The results of the messages received, and the first failure, become those of the whole.
void add_message(RequestId whole, RequestId message);

// Attach memory that the messages use; it is freed with the request.
void keep_memory(RequestId whole, std::unique_ptr<char[]> memory);

// Copy the contents of the sends, because their memory is about to be freed. Called by keep_payload.
void keep_payloads(RequestId whole);

void end_compounds();

}  // namespace pysmpi
