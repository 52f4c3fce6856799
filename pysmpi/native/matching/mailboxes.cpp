// Locks mailboxes as SMPI does, and counts the calls with which SMPI searches them.
#include "matching/mailboxes.hpp"

#include "base/options.hpp"
#include "engine/simulation.hpp"
#include "matching/mutex.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

namespace {

bool locks_mailboxes(RankId peer) {
  const bool are_locked = options().async_small_threshold > 0 && !options().exact_sharing;
  return are_locked && peer != kProcNull && inside_rank();
}

BlockedOn blocked_on_mailboxes(const char* call, const Communicator& communicator) {
  return {.call = call, .kind = WaitKind::kOther, .communicator = communicator.handle};
}

// Return whether SMPI uses the receiver's separate mailbox for small messages and receives.
bool is_small(std::int64_t bytes) { return bytes < options().async_small_threshold; }

// Return the number of calls that search mailboxes before the call that posts a message.
std::uint32_t searches_for_send(RankId sender, RankId receiver, Envelope envelope, std::int64_t bytes, SendMode mode) {
  if (!is_small(bytes)) return 0;
  if (mode != SendMode::kSynchronous) return 1;
  const RequestId receive = queues().find_receive(receiver, envelope.context, sender, envelope.tag);
  return receive != kNone && !is_small(request(receive).bytes) ? 1 : 2;
}

// Return the number of calls that search mailboxes before the call that posts a receive.
std::uint32_t searches_for_receive(RankId receiver, RankId sender, Envelope envelope, std::int64_t bytes) {
  if (!is_small(bytes)) return 1;
  const RequestId send = queues().find_send(receiver, envelope.context, sender, envelope.tag);
  return send != kNone && is_eager(request(send).bytes, request(send).mode) ? 1 : 2;
}

Steps<RequestId> post_send_under_lock(RankId owner, RankId receiver, const Communicator& communicator,
                                      Envelope envelope, SendMode mode, const void* buffer, std::int64_t count,
                                      const Datatype& datatype, const char* call) {
  simulation().leave_room_between_turns();
  Mutex& mailboxes = Messages::current().mailboxes[receiver];
  const BlockedOn on = blocked_on_mailboxes(call, communicator);
  const bool locked = co_await mailboxes.locking(on);
  if (!locked) co_return kNone;
  simulation().count_calls(searches_for_send(owner, receiver, envelope, datatype.size * count, mode));
  const RequestId id = post_send(owner, communicator, envelope, mode, buffer, count, datatype);
  co_await mailboxes.unlocking(call);
  co_return id;
}

Steps<RequestId> post_receive_under_lock(RankId owner, RankId sender, const Communicator& communicator,
                                         Envelope envelope, void* buffer, std::int64_t count, const Datatype& datatype,
                                         const char* call) {
  simulation().leave_room_between_turns();
  Mutex& mailboxes = Messages::current().mailboxes[owner];
  const BlockedOn on = blocked_on_mailboxes(call, communicator);
  const bool locked = co_await mailboxes.locking(on);
  if (!locked) co_return kNone;
  simulation().count_calls(searches_for_receive(owner, sender, envelope, datatype.size * count));
  const RequestId id = post_receive(owner, communicator, envelope, buffer, count, datatype);
  co_await mailboxes.unlocking(call);
  co_return id;
}

}  // namespace

Steps<RequestId> post_send_in_call(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                                   const void* buffer, std::int64_t count, const Datatype& datatype, const char* call) {
  const RankId receiver = world_peer(communicator, envelope.peer, owner);
  if (!locks_mailboxes(receiver)) {
    return Steps(post_send(owner, communicator, envelope, mode, buffer, count, datatype));
  }
  return post_send_under_lock(owner, receiver, communicator, envelope, mode, buffer, count, datatype, call);
}

Steps<RequestId> post_receive_in_call(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                                      std::int64_t count, const Datatype& datatype, const char* call) {
  const RankId sender = world_peer(communicator, envelope.peer, owner);
  if (!locks_mailboxes(sender)) {
    return Steps(post_receive(owner, communicator, envelope, buffer, count, datatype));
  }
  return post_receive_under_lock(owner, sender, communicator, envelope, buffer, count, datatype, call);
}

}  // namespace pysmpi
