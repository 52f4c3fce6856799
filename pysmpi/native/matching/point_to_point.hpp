// Posts, matches and completes messages by SMPI's point-to-point protocol (SimGrid 3.32,
// src/smpi/mpi/smpi_request.cpp). A send below smpi/send-is-detached-thresh is detached: its bytes are copied and the
// sender goes on. A send below smpi/async-small-thresh is eager: its flow starts before the receive is posted. Other
// sends are rendezvous.
#pragma once

#include <cstdint>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "datatypes/datatype.hpp"
#include "engine/listener.hpp"
#include "matching/communicator.hpp"
#include "matching/protocol.hpp"
#include "matching/request.hpp"

namespace pysmpi {

inline constexpr std::uint64_t kAnyCall = ~std::uint64_t{0};  // a call after all others of the instant

// The fields by which a send and a receive match.
struct Envelope {
  std::int32_t peer;  // rank in the communicator, kAnySource or kProcNull
  std::int32_t tag;
  std::uint32_t context;  // communicator.context for programs, communicator.context + 1 inside collectives
  bool operator==(const Envelope&) const = default;
};

// Return the world rank of a peer in a communicator of world rank `owner`; kAnySource and kProcNull stay as they are.
RankId world_peer(const Communicator& communicator, std::int32_t peer, RankId owner);

// Post a message at the current simulated time on behalf of world rank `owner`, which need not be running (a schedule
// runs while its rank does not). The buffer must not lie on a C stack. The returned request may already be complete;
// the request of a detached send always is. Never blocks: call overheads (smpi/os, ois, or) are the caller's
// responsibility. With a `fault` the message's data is invalid and its receive gets the fault. With `combine` the
// message is reduced into the buffer, by a predefined operation on a contiguous datatype.
RequestId post_send(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                    const void* buffer, std::int64_t count, const Datatype& datatype, const Fault& fault = {});
RequestId post_receive(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                       std::int64_t count, const Datatype& datatype, const Reduction* combine = nullptr);

// Return the message that a receive with this envelope would match, or kNone. Of the messages sent in this instant,
// only those are found that SMPI would send before the call `before` (a value of Request::call_order).
RequestId find_message(RankId owner, const Communicator& communicator, Envelope envelope,
                       std::uint64_t before = kAnyCall);
// Return whether some posted receive would match a message with this envelope if rank `owner` sent it now.
bool is_awaited(RankId owner, const Communicator& communicator, Envelope envelope);
// The two steps of a matched probe: take_message takes the message out of the queues, so that no other receive matches
// it, and post_matched_receive receives it.
RequestId take_message(RankId owner, const Communicator& communicator, Envelope envelope);
RequestId post_matched_receive(RequestId message, void* buffer, std::int64_t count, const Datatype& datatype);
// Remove the message that a receive with this envelope would match, without receiving it. Returns false if there is
// none.
bool discard_message(RankId owner, const Communicator& communicator, Envelope envelope);

// A one-sided message between two world ranks, which needs no matching. The message leaves at once with the current
// contents of `from`. The bytes are written to `to` on arrival, unless the receiving rank has ended by then. `handle`
// is the handle of the window. The request is a receive of the receiving rank and completes on arrival.
struct Transfer {
  RankId sender, receiver;
  std::int32_t handle;
  const void* from;
  std::int64_t from_count;
  const Datatype* from_type;
  void* to;  // null if only the time matters
  std::int64_t to_count;
  const Datatype* to_type;
};
RequestId post_transfer(const Transfer& transfer);

// Start the flow of a message that a receive has matched. `order` is the start's position in SMPI's order of calls.
void start_matched(RequestId receive, std::uint64_t order);

// Wake the waiter, once, when a message arrives that a receive with this envelope would match, or when its sender
// fails. The woken waiter may find no message, because another thread of the rank has taken it.
void await_message(RankId owner, const Communicator& communicator, Envelope envelope, Waiter* waiter);

// Set `*unsuccessful` if no message matches a receive with this envelope. The flag is cleared when such a message
// arrives; stop_watching ends the watch.
void watch_for_message(RankId owner, const Communicator& communicator, Envelope envelope, bool* unsuccessful);
void stop_watching(RankId owner, bool* unsuccessful);

// Cancel an unmatched request: the request leaves the queues and completes. Does nothing if the request is matched.
void cancel(RequestId id);

// Wake the waiter when the request completes, and count the request in waiter->pending. Does nothing if the request is
// complete.
void await(RequestId id, Waiter* waiter);

// Like await, for a rank that waits for nothing else, as in MPI_Recv and MPI_Wait. This affects the times of
// computations of other ranks on its host (Processors::begin_wait).
void await_alone(RequestId id, Waiter* waiter);

// Count the call that SMPI makes when a rank waits for a request that is already complete. SMPI makes no such call for
// detached sends.
void wait_for_complete(RequestId id);

// Return the request to the pool. If its message is still under way, the request returns when the message has arrived.
void release(RequestId id);

// Cancel and release a request whose rank, or thread, is being stopped.
void abandon(RequestId id);

// Copy the bytes of an unmatched send (or of all unmatched sends of a rank), because their owner is about to free the
// memory.
void keep_payload(RequestId id);
void keep_messages(RankId rank);

// Handle the end of a rank, whose memory is freed: its receives leave the queues. Its messages can still be received,
// unless it was stopped.
void forget_rank(RankId rank);

// Seconds that the receiver spends once this receive is complete.
double receive_overhead(RequestId id);

void wake_probes(RankId failed);     // wakes probes that wait for messages of this world rank only
void extend_matching(RankId ranks);  // adapts to an increased number of ranks

}  // namespace pysmpi
