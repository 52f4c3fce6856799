// Locks mailboxes as SMPI does, and counts the calls with which SMPI searches them.
#include "matching/mailboxes.hpp"

#include "base/options.hpp"
#include "engine/simulation.hpp"
#include "matching/mutex.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

namespace {

bool locks_mailboxes(RankId peer) { return mailboxes_are_locked() && peer != kProcNull && inside_rank(); }

// Keeps the mailboxes of a receiver locked while the object exists, as SMPI does while it posts a message or a receive.
class LockedMailboxes : public Locked {
 public:
  LockedMailboxes(RankId receiver, const Communicator& communicator, const char* call)
      : Locked(Messages::current().mailboxes[receiver],
               {.call = call, .kind = WaitKind::kOther, .communicator = communicator.handle}) {}
};

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

}  // namespace

bool mailboxes_are_locked() { return options().async_small_threshold > 0 && !options().exact_sharing; }

RequestId post_send_in_call(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                            const void* buffer, std::int64_t count, const Datatype& datatype, const char* call) {
  const RankId receiver = world_peer(communicator, envelope.peer, owner);
  if (!locks_mailboxes(receiver)) return post_send(owner, communicator, envelope, mode, buffer, count, datatype);
  simulation().leave_room_between_turns();
  const LockedMailboxes locked(receiver, communicator, call);
  if (locked.stopped()) return kNone;
  simulation().count_calls(searches_for_send(owner, receiver, envelope, datatype.size * count, mode));
  return post_send(owner, communicator, envelope, mode, buffer, count, datatype);
}

RequestId post_receive_in_call(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                               std::int64_t count, const Datatype& datatype, const char* call) {
  const RankId sender = world_peer(communicator, envelope.peer, owner);
  if (!locks_mailboxes(sender)) return post_receive(owner, communicator, envelope, buffer, count, datatype);
  simulation().leave_room_between_turns();
  const LockedMailboxes locked(owner, communicator, call);
  if (locked.stopped()) return kNone;
  simulation().count_calls(searches_for_receive(owner, sender, envelope, datatype.size * count));
  return post_receive(owner, communicator, envelope, buffer, count, datatype);
}

}  // namespace pysmpi
