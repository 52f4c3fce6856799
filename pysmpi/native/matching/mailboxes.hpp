// Posts messages and receives in MPI calls of a program. If messages may be eager (smpi/async-small-thresh), SMPI locks
// the receiver's mailboxes, searches one or both of them, posts, and unlocks them (SimGrid 3.32, Request::start). Ranks
// that send to one receiver in one instant then wait for each other, which changes the order of their next calls.
// Messages inside collectives are posted by schedules, which cannot wait, and do not lock; nonblocking collectives
// whose messages are posted by their call (collectives/posted.hpp) do. Nor does any message under network/optim:Full,
// which does not follow SMPI's order of calls.
#pragma once

#include <cstdint>

#include "engine/steps.hpp"
#include "matching/point_to_point.hpp"
#include "matching/protocol.hpp"

namespace pysmpi {

// Post a message or a receive of world rank `owner`, which is running. `call` is the name of the MPI function, for
// reports. Returns kNone if the rank is being stopped.
Steps<RequestId> post_send_in_call(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                                   const void* buffer, std::int64_t count, const Datatype& datatype, const char* call);
Steps<RequestId> post_receive_in_call(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                                      std::int64_t count, const Datatype& datatype, const char* call);

}  // namespace pysmpi
