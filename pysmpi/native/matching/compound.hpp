// A request that is complete when several messages are: MPI_Isendrecv's, and those of partitioned communication.
#pragma once

#include <memory>

#include "matching/point_to_point.hpp"

namespace pysmpi {

// A request of `owner` that waits for so many messages. It looks like a receive from, or a send to, this peer. It may
// be complete at once, when it waits for none.
RequestId begin_compound(RankId owner, const Communicator& communicator, RequestFlag kind, Envelope envelope,
                         std::int32_t messages);

// There will be so many more than was thought.
void expect_messages(RequestId whole, std::int32_t more);

// One of its messages, which has been posted and becomes part of it. What its receives got, and the first failure, is
// what the whole tells.
void add_message(RequestId whole, RequestId message);

// Memory that its messages use, which lives as long as they do.
void keep_memory(RequestId whole, std::unique_ptr<char[]> memory);

// The owner lets go of the memory of its sends: as keep_payload, which calls this.
void keep_payloads(RequestId whole);

void end_compounds();

}  // namespace pysmpi
