// Puts, gets and accumulates as messages between origin and target.
#include "rma/transfers.hpp"

#include <cstring>
#include <vector>

#include "datatypes/copy.hpp"
#include "datatypes/operands.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "matching/protocol.hpp"
#include "matching/requests.hpp"
#include "objects/errors.hpp"
#include "rank_memory/folded.hpp"
#include "rma/closing.hpp"
#include "rma/completion.hpp"
#include "schedule/local_work.hpp"

namespace pysmpi {

namespace {

using Bytes = std::vector<char>;

Bytes packed(const Elements& elements) {
  Bytes bytes(elements.bytes());
  if (!bytes.empty() && !is_folded(elements.buffer)) {
    pack(*elements.type, elements.buffer, elements.count, bytes.data());
  }
  return bytes;
}

void unpacked(const Bytes& bytes, const Elements& to) {
  if (!bytes.empty() && !is_folded(to.buffer)) unpack(*to.type, bytes.data(), bytes.size(), to.buffer);
}

// Returns the predefined pair type (value and index) of this basic type if it has gaps in memory, else null. Packed
// pairs have no gaps, so pairs of such a type must be unpacked before reduce() can combine them.
const Datatype* gapped_pair(Basic basic) {
  for (std::uint32_t index = 0; index < 5; ++index) {
    const Datatype* pair = find_datatype(pair_handle(index));
    if (pair && pair->basic == basic && !pair->contiguous) return pair;
  }
  return nullptr;
}

// Combines all items in `bytes` with the target's memory: there = bytes op there.
void combine(const Reduction& operation, const Bytes& bytes, const Elements& there) {
  if (bytes.empty() || operation.kind == ReductionKind::kNoOp || is_folded(there.buffer)) return;
  if (operation.kind == ReductionKind::kReplace) {
    unpack(*there.type, bytes.data(), bytes.size(), there.buffer);
    return;
  }
  const Datatype& type = *there.type;
  const std::int64_t items = static_cast<std::int64_t>(bytes.size()) / type.basic_size;
  if (const Datatype* pair = gapped_pair(type.basic)) {
    Bytes given(items * pair->extent), held(items * pair->extent), before = packed(there);
    unpack(*pair, bytes.data(), bytes.size(), given.data());
    unpack(*pair, before.data(), bytes.size(), held.data());
    reduce(operation, pair->handle, given.data(), held.data(), items);
    pack(*pair, held.data(), items, before.data());
    unpack(type, before.data(), bytes.size(), there.buffer);
  } else if (type.contiguous) {
    reduce(operation, type.handle, bytes.data(), there.buffer, items);
  } else {
    Bytes held = packed(there);
    reduce(operation, type.handle, bytes.data(), held.data(), items);
    unpack(type, held.data(), bytes.size(), there.buffer);
  }
}

std::int32_t my_member(const WindowAccess& access) { return access.window.communicator->my_rank(); }
bool is_mine(const WindowAccess& access) { return access.target == my_member(access); }

// Spends the overhead before a message leaves. As in SMPI, this is the overhead of a nonblocking send, whichever
// direction the message takes.
bool pay_for(std::int64_t bytes, const char* call) {
  const double seconds = send_overhead(bytes, true, SendMode::kStandard);
  return seconds <= 0.0 || sleep_for(seconds, call, Spent::kSendOverhead);
}

// Locks the queues in which messages to a rank are matched (SMPI's mailboxes) while the object exists. Also counts
// SMPI's call that searches them: the number of calls decides on the order of ranks within an instant.
class LockedMailboxes : public Locked {
 public:
  LockedMailboxes(const WindowAccess& access, RankId receiver)
      : Locked(Messages::current().mailboxes[receiver], blocked_in(access.window, access.call)) {
    simulation().count_calls(1);
  }
};

// Posts a message. In SMPI, the origin posts both its send and its receive. Returns kNone if the rank is being stopped.
RequestId post(const WindowAccess& access, const Transfer& transfer) {
  const LockedMailboxes locked(access, transfer.receiver);
  return locked.stopped() ? kNone : post_transfer(transfer);
}

// Counts the calls by which SMPI posts the receive of a message: their number decides on the order of ranks within an
// instant. Returns false if the rank is being stopped.
bool post_receive_of(const WindowAccess& access, RankId receiver) {
  const LockedMailboxes locked(access, receiver);
  if (!locked.stopped()) simulation().count_calls(1);
  return !locked.stopped();
}

// Adds a transfer to a member's list when no other rank holds the list's lock (rma/closing.hpp). Returns false if the
// rank is being stopped.
bool add_to(std::vector<RequestId> WindowMember::* list, const WindowAccess& access, std::int32_t member,
            RequestId id) {
  const ClosedList closed(access.window, member, access.call);
  if (closed.stopped()) {
    release(id);
    return false;
  }
  if (list == &WindowMember::incoming && !post_receive_of(access, access.window.world(member))) {
    release(id);
    return false;
  }
  (access.window.members[member].*list).push_back(id);
  return true;
}

// Waits until no other rank holds the lock of this rank's own list (rma/closing.hpp), because SMPI adds the send of a
// put or accumulate to that list, unless the program gets the send as a request (MPI_Rput, MPI_Raccumulate). Here
// nothing is added: only the receive is a request to wait for. Returns false if the rank is being stopped.
bool pass_own_list(const WindowAccess& access, Listed listed) {
  return listed == Listed::kNo || !ClosedList(access.window, my_member(access), access.call).stopped();
}

// Sends a message to the target. Its bytes are written to `to` on arrival, unless `to` is null. Returns kNone if the
// rank is being stopped.
RequestId send_there(const WindowAccess& access, const Elements& from, void* to) {
  if (!pay_for(from.bytes(), access.call)) return kNone;
  return post(access, {.sender = simulation().running,
                       .receiver = access.window.world(access.target),
                       .handle = access.window.handle,
                       .from = from.buffer,
                       .from_count = from.count,
                       .from_type = from.type,
                       .to = to,
                       .to_count = access.there.count,
                       .to_type = access.there.type});
}

// Sends the message of a put.
bool put_there(const WindowAccess& access, const Elements& from, void* to, Listed listed) {
  const RequestId id = send_there(access, from, to);
  if (id == kNone) return false;
  if (pass_own_list(access, listed)) return add_to(&WindowMember::incoming, access, access.target, id);
  release(id);
  return false;
}

// Starts a message from the target, whose bytes arrive in `buffer`.
RequestId fetch(const WindowAccess& access, const Elements& to, void* buffer) {
  if (!pay_for(access.there.bytes(), access.call)) return kNone;
  return post(access, {.sender = access.window.world(access.target),
                       .receiver = simulation().running,
                       .handle = access.window.handle,
                       .from = access.there.buffer,
                       .from_count = access.there.count,
                       .from_type = access.there.type,
                       .to = buffer,
                       .to_count = to.count,
                       .to_type = to.type});
}

// Spends the time of an accumulate's message. As in SMPI, the call waits for all transfers between the two ranks.
Fault send_and_wait(const WindowAccess& access, const Elements& from, Listed listed) {
  if (!inside_rank()) return {};
  const RequestId id = send_there(access, from, nullptr);
  if (id == kNone) return kStopped;
  request(id).tag = kAccumulateTag;
  if (!add_to(&WindowMember::incoming, access, access.target, id) || !pass_own_list(access, listed)) {
    return kStopped;
  }
  return finish_with(access.window, access.target, access.call);
}

// Counts the calls by which SMPI posts the receive of a get. First waits until no other rank holds the lock of the
// target's list, because SMPI adds the send of the get to that list. Returns false if the rank is being stopped.
bool note_get(const WindowAccess& access, RequestId id) {
  const bool opened = !ClosedList(access.window, access.target, access.call).stopped();
  if (opened && post_receive_of(access, simulation().running)) return true;
  release(id);
  return false;
}

// Spends the time of a get's message.
Fault fetch_and_wait(const WindowAccess& access, const Elements& to) {
  if (is_mine(access)) return {};
  const RequestId id = fetch(access, to, nullptr);
  if (id == kNone) return kStopped;
  if (!note_get(access, id)) return kStopped;
  std::vector<RequestId> one{id};
  return wait_all(access.window, one, access.call);
}

// The running rank's turn among the ranks that execute MPI_Get_accumulate, MPI_Compare_and_swap and the like on one
// target: only one of them at a time changes the target's memory.
class Turn : public Locked {
 public:
  explicit Turn(const WindowAccess& access)
      : Locked(access.window.members[access.target].atomic_mutex, blocked_in(access.window, access.call)) {}
};

// Spends the time in which the target's core combines, because the call waits for it. Returns false if the rank is
// being stopped.
bool take_time_of(const Reduction& operation, const Elements& from, const WindowAccess& access) {
  if (operation.kind == ReductionKind::kReplace) return true;
  return spend_combining(access.window.world(access.target), from.bytes(), access.call);
}

bool target_is_gone(const WindowAccess& access) { return memory_is_gone(access.window, access.target); }

}  // namespace

Fault put(const WindowAccess& access, const Elements& from, Listed listed) {
  if (is_mine(access)) {
    copy(from.buffer, from.count, from.type->handle, access.there.buffer, access.there.count,
         access.there.type->handle);
    return {};
  }
  return put_there(access, from, access.there.buffer, listed) ? Fault{} : kStopped;
}

Fault get(const WindowAccess& access, const Elements& to, RequestId* handed_out) {
  if (handed_out) *handed_out = kNone;
  if (is_mine(access)) {
    copy(access.there.buffer, access.there.count, access.there.type->handle, to.buffer, to.count, to.type->handle);
    return {};
  }
  const RequestId id = fetch(access, to, to.buffer);
  if (id == kNone) return kStopped;
  if (!note_get(access, id)) return kStopped;
  if (!handed_out) return add_to(&WindowMember::gets, access, my_member(access), id) ? Fault{} : kStopped;
  *handed_out = id;
  access.window.mine().handed_out.push_back({id, request(id).sequence});
  return {};
}

Fault accumulate(const WindowAccess& access, const Elements& from, const Reduction& operation, Listed listed) {
  const Bytes bytes = packed(from);  // the contents at the time of the call
  const Fault fault = send_and_wait(access, from, listed);
  if (fault.error != 0 || target_is_gone(access)) return fault;
  combine(operation, bytes, access.there);
  return take_time_of(operation, from, access) ? Fault{} : kStopped;
}

Fault get_accumulate(const WindowAccess& access, const Elements& from, const Elements& result,
                     const Reduction& operation) {
  const bool only_fetches = operation.kind == ReductionKind::kNoOp;
  const Bytes bytes = only_fetches ? Bytes() : packed(from);
  const Turn turn(access);
  if (turn.stopped()) return kStopped;
  Bytes before = packed(access.there);
  if (const Fault fault = fetch_and_wait(access, result); fault.error != 0) return fault;
  if (!only_fetches) {
    if (const Fault fault = send_and_wait(access, from, Listed::kNo); fault.error != 0) return fault;
    if (target_is_gone(access)) return {};
    before = packed(access.there);
    combine(operation, bytes, access.there);
    if (!take_time_of(operation, from, access)) return kStopped;
  }
  unpacked(before, result);
  return {};
}

Fault compare_and_swap(const WindowAccess& access, const void* from, const void* compare, void* result) {
  const Elements one{const_cast<void*>(from), 1, access.there.type};
  const Bytes given = packed(one), expected = packed({const_cast<void*>(compare), 1, access.there.type});
  const Turn turn(access);
  if (turn.stopped()) return kStopped;
  const Elements into{result, 1, access.there.type};
  if (const Fault fault = fetch_and_wait(access, into); fault.error != 0) return fault;
  if (target_is_gone(access)) return {};
  const Bytes before = packed(access.there);
  unpacked(before, into);
  if (before != expected) return {};
  unpacked(given, access.there);
  return is_mine(access) || put_there(access, one, nullptr, Listed::kYes) ? Fault{} : kStopped;
}

bool is_accumulable(const Reduction& operation, const Datatype& type) {
  if (operation.kind == ReductionKind::kUser) return false;
  if (operation.kind == ReductionKind::kReplace || operation.kind == ReductionKind::kNoOp) return true;
  return operand_of(type).defines(operation.kind);
}

}  // namespace pysmpi
