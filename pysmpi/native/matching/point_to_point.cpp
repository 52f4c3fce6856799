// Posts messages, matches sends with receives, and completes requests.
#include "matching/point_to_point.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "datatypes/reduction.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/probing.hpp"
#include "matching/progress.hpp"
#include "matching/requests.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {

bool is_free(const Probe& probe) { return !probe.waiter && !probe.unsuccessful; }

// End a poll of the rank that the engine repeats without events, because the poll's flag has become false.
void end_repetition(RankId owner) {
  if (!options().polls_are_independent()) return;
  Simulation& engine = simulation();
  engine.processors.end_repetition(engine.host_of(owner));
}

void notify_probe(Probe& probe) {
  if (probe.unsuccessful) {
    *std::exchange(probe.unsuccessful, nullptr) = false;
    end_repetition(probe.owner);
  } else {
    std::exchange(probe.waiter, nullptr)->completed_one();
  }
}

void notify_if_matching(const Request& message, RankId sender, Probe& probe) {
  if (!is_free(probe) && probe.context == message.context && (probe.sender == kAnySource || probe.sender == sender) &&
      (probe.tag == kAnyTag || probe.tag == message.tag)) {
    notify_probe(probe);
  }
}

void add_probe(const Probe& probe) {
  Messages& messages = Messages::current();
  if (is_free(messages.probes[probe.owner])) {
    messages.probes[probe.owner] = probe;
  } else {
    messages.further_probes.push_back(probe);
  }
}

// Copy the bytes of the message into the receive's buffer. The bytes are copied when send and receive are matched,
// although the simulated message arrives later, because MPI does not allow the program to access either buffer in
// between.
void move_bytes(Request& send, Request& receive) {
  std::int64_t bytes = send.bytes;
  receive.sent_bytes = bytes;
  if (bytes > receive.bytes) {
    bytes = receive.bytes;
    receive.fault.error = kErrTruncate;
  }
  receive.bytes = bytes;
  const void* packed = send.payload;
  if (bytes == 0 || is_folded(receive.buffer)) return;
  if (receive.combine) {
    const std::int64_t items = bytes / receive.datatype->size;
    if (packed || send.datatype->contiguous) {
      reduce(*receive.combine, receive.datatype->handle, packed ? packed : send.buffer, receive.buffer, items);
    } else if (!is_folded(send.buffer)) {
      const std::unique_ptr<char[]> all(new char[send.bytes]);
      pack(*send.datatype, send.buffer, send.count, all.get());
      reduce(*receive.combine, receive.datatype->handle, all.get(), receive.buffer, items);
    }
  } else if (packed) {
    if (!is_folded(packed)) unpack(*receive.datatype, packed, bytes, receive.buffer);
  } else if (!is_folded(send.buffer)) {  // matched when posted: copy directly from the sender's buffer
    if (send.datatype->contiguous) {
      unpack(*receive.datatype, send.buffer, bytes, receive.buffer);
    } else if (receive.datatype->contiguous && bytes == send.bytes) {
      pack(*send.datatype, send.buffer, send.count, receive.buffer);
    } else {
      void* both = std::malloc(send.bytes);
      pack(*send.datatype, send.buffer, send.count, both);
      unpack(*receive.datatype, both, bytes, receive.buffer);
      std::free(both);
    }
  }
}

// Return whether the message leaves from memory that its sender has received before, if this makes a difference.
bool passes_on(const Request& send) {
  return simulation().carrier->slows_forwarded() &&
         Messages::current().received.contains(send.owner, send.buffer, send.bytes);
}

// Return the seconds that a message takes longer because its sender receives in the same call.
double latency_of_exchange(const Request& send) {
  const SizeTable& table = options().exchange_latency;
  if (table.empty() || send.mode != SendMode::kExchange) return 0.0;
  const Simulation& engine = simulation();
  if (engine.rank_host[send.owner] == engine.rank_host[send.peer]) return 0.0;
  return overhead(table, static_cast<double>(send.bytes));
}

FlowId start_flow(const Request& send, std::uint32_t token, std::uint64_t order, bool eager) {
  Simulation& engine = simulation();
  const FlowId flow = engine.carrier->start(engine.now, {.source = engine.rank_host[send.owner],
                                                         .destination = engine.rank_host[send.peer],
                                                         .source_core = engine.core_of(send.owner),
                                                         .destination_core = engine.core_of(send.peer),
                                                         .waiting = engine.waiting_besides(send.owner, send.peer),
                                                         .forwarded = passes_on(send),
                                                         .bytes = static_cast<double>(send.bytes),
                                                         .more_latency = latency_of_exchange(send),
                                                         .sent = send.posted,
                                                         .eager = eager,
                                                         .message = send.sequence,
                                                         .token = token,
                                                         .order = order});
  if (flow != kNone) {
    ++engine.flows_under_way;
  } else if (const char* const what = engine.network.exhausted_by()) {
    engine.exhausted_by = what;
  } else if (const char* const problem = engine.carrier->problem()) {
    engine.exhausted_by = problem;
  } else {
    engine.unreachable = true;
    engine.unreachable_sender = send.owner;
    engine.unreachable_receiver = send.peer;
  }
  return flow;
}

}  // namespace

void start_matched(RequestId receive, std::uint64_t order) {
  const Request& send = request(request(receive).partner);
  request(receive).flow = start_flow(send, receive, order, is_eager(send.bytes, send.mode));
}

namespace {

void match(RequestId send_id, RequestId receive_id) {
  Request& send = request(send_id);
  Request& receive = request(receive_id);
  Simulation& engine = simulation();
  ++engine.counters.messages;
  engine.counters.bytes += send.bytes;
  if (send.fault.error == 0) {
    if (observers) notify(&Observer::message_copy_begins, send, receive);
    move_bytes(send, receive);
    if (engine.carrier->slows_forwarded())
      Messages::current().received.add(receive.owner, receive.buffer, receive.bytes);
  } else {
    receive.fault = send.fault;
    receive.bytes = 0;
  }
  end_loan(send);
  end_loan(receive);
  receive.peer = send.owner;
  receive.source = send.source;
  receive.matched_tag = send.tag;
  receive.message = send.sequence;
  receive.message_posted = send.posted;
  receive.flags |= kMatched | kHeld | (send.flags & kDetached);
  send.flags |= kMatched;
  if (observers) notify(&Observer::message_matched, engine.now, send, receive);
  if (send.flags & kArrived) {
    complete(receive_id);
    release_hold(receive_id);
    release_hold(send_id);
  } else if (send.flow != kNone) {  // an eager message that is under way
    send.partner = receive_id;
  } else if (send.flags & kDetached) {
    const std::uint64_t order = std::max(send.call_order, receive.call_order);
    receive.flow = start_flow(send, receive_id, order, is_eager(send.bytes, send.mode));
    release_hold(send_id);
  } else {
    send.flags |= kHeld;
    send.partner = receive_id;
    receive.partner = send_id;
    const RankId peer = send.call_order < receive.call_order ? send.owner : receive.owner;
    if (must_wait_for(peer)) {
      Progress::current().delay(peer, receive_id);
    } else {
      start_matched(receive_id, std::max(send.call_order, receive.call_order));
    }
  }
}

// Write the bytes of a one-sided message that has arrived.
void deliver(const Request& r) {
  if (!r.payload || r.fault.error != 0 || simulation().fibers[r.owner].state == FiberState::kEnded) return;
  unpack(*r.datatype, r.payload, r.bytes, r.buffer);
}

// `peer` is a world rank, kAnySource or kProcNull.
RequestId new_request(Role role, RankId owner, std::int32_t communicator, RankId peer, Envelope envelope,
                      const void* buffer, std::int64_t count, const Datatype& datatype) {
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.role = role;
  r.owner = owner;
  r.peer = peer;
  r.tag = envelope.tag;
  r.context = envelope.context;
  r.communicator = communicator;
  r.datatype = &datatype;
  hold_datatype(datatype);
  r.count = count;
  r.bytes = datatype.size * count;
  r.buffer = const_cast<void*>(buffer);
  r.sequence = Messages::current().next_sequence++;
  if (simulation_active()) {
    r.posted = simulation().now;
    r.call_order = simulation().call_order();
  }
  return id;
}

// Set the payload of a send that found no receive, so that the bytes can be copied when a receive is posted. Bytes that
// may change before, or that are not contiguous, are copied to the heap now. They may change if the send is detached,
// or eager: then it may be complete before it is matched.
void keep_until_matched(Request& r) {
  r.payload = r.buffer;
  const bool may_change = (r.flags & kDetached) || is_eager(r.bytes, r.mode);
  if (r.bytes == 0 || is_folded(r.buffer) || (!may_change && r.datatype->contiguous)) return;
  r.payload = std::malloc(r.bytes);
  r.flags |= kOwnsPayload;
  pack(*r.datatype, r.buffer, r.count, r.payload);
}

// Put an unmatched send into the queues and notify ranks that probe for it. The bytes of an eager send leave now, those
// of any other send when it is matched.
void let_wait(RequestId id) {
  Request& r = request(id);
  if (is_eager(r.bytes, r.mode)) r.flow = start_flow(r, id, r.call_order, true);
  enqueue(id);
  auto& [_, probes, further_probes, mailboxes, received] = Messages::current();
  notify_if_matching(r, r.owner, probes[r.peer]);
  if (further_probes.empty()) return;
  for (Probe& probe : further_probes) {
    if (probe.owner == r.peer) notify_if_matching(r, r.owner, probe);
  }
  std::erase_if(further_probes, is_free);
}

}  // namespace

RankId world_peer(const Communicator& communicator, std::int32_t peer, RankId owner) {
  return peer < 0 ? peer : communicator.peer_world(peer, owner);
}

RequestId post_send(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                    const void* buffer, std::int64_t count, const Datatype& datatype, const Fault& fault) {
  const RankId peer = world_peer(communicator, envelope.peer, owner);
  const RequestId id = new_request(Role::kSend, owner, communicator.handle, peer, envelope, buffer, count, datatype);
  Request& r = request(id);
  r.mode = mode;
  if (peer == kProcNull) {
    r.flags |= kComplete;
    return id;
  }
  if (has_failed(peer)) {
    r.fault = failure_of(peer);
    r.flags |= kComplete;
    return id;
  }
  r.fault = fault;
  r.source = communicator.self ? 0 : communicator.ranks.rank_of(owner);
  if (is_detached(r.bytes, mode)) r.flags |= kDetached | kComplete;
  if (observers) notify(&Observer::message_sent, r.posted, r);
  const RequestId receive = queues().find_receive(r.peer, r.context, owner, r.tag);
  const bool is_undecided = undecided_posts().concern(r.peer) ||
                            (receive != kNone && request(receive).peer == kAnySource && communicator.size() > 1);
  if (receive != kNone && !is_undecided) {
    queues().remove(receive);
    match(id, receive);
    return id;
  }
  keep_until_matched(r);
  if (is_undecided) {
    begin_loan(r);
    undecided_posts().add(id, r.peer);
  } else {
    let_wait(id);
  }
  return id;
}

void match_or_enqueue_send(RequestId id, bool waits_already) {
  const Request& r = request(id);
  const RequestId receive = queues().take_receive(r.peer, r.context, r.owner, r.tag);
  if (receive != kNone) {
    if (waits_already) queues().remove(id);
    match(id, receive);
  } else if (!waits_already) {
    let_wait(id);
  }
}

RequestId post_receive(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                       std::int64_t count, const Datatype& datatype, const Reduction* combine) {
  const RankId peer = world_peer(communicator, envelope.peer, owner);
  const RequestId id = new_request(Role::kReceive, owner, communicator.handle, peer, envelope, buffer, count, datatype);
  Request& r = request(id);
  r.combine = combine;
  if (envelope.peer == kProcNull) {
    r.flags |= kComplete;
    r.source = kProcNull;
    r.matched_tag = kAnyTag;
    r.bytes = 0;
    return id;
  }
  if (observers) notify(&Observer::message_expected, r.posted, r);
  const bool is_undecided = undecided_posts().concern(owner) || (peer == kAnySource && communicator.peer_count() > 1);
  if (is_undecided) {
    begin_loan(r);
    undecided_posts().add(id, owner);
  } else {
    match_or_enqueue_receive(id);
  }
  return id;
}

void match_or_enqueue_receive(RequestId id) {
  Request& r = request(id);
  const std::uint64_t before = r.peer == kAnySource ? r.call_order : kAnyCall;
  const RequestId send = queues().take_send(r.owner, r.context, r.peer, r.tag, before);
  if (send != kNone) {
    match(send, id);
  } else if (has_failed(r.peer)) {
    r.fault = failure_of(r.peer);
    r.bytes = 0;
    end_loan(r);
    complete(id);
    release_hold(id);
  } else {
    enqueue(id);
    if (r.peer != kAnySource) return;
    queues().each_send_after(r.call_order, r.owner, r.context, r.tag, [&r](RequestId later) {
      if (!(request(later).flags & kUndecided)) undecided_posts().add(later, r.owner, true);
    });
  }
}

RequestId find_message(RankId owner, const Communicator& communicator, Envelope envelope, std::uint64_t before) {
  if (undecided_posts().concern(owner)) undecided_posts().decide_before(before);
  return queues().find_send(owner, envelope.context, world_peer(communicator, envelope.peer, owner), envelope.tag,
                            before);
}

RequestId take_message(RankId owner, const Communicator& communicator, Envelope envelope) {
  const RequestId id =
      queues().take_send(owner, envelope.context, world_peer(communicator, envelope.peer, owner), envelope.tag);
  if (id != kNone) request(id).flags |= kMatched;  // the message can no longer be cancelled
  return id;
}

bool discard_message(RankId owner, const Communicator& communicator, Envelope envelope) {
  const RequestId id = find_message(owner, communicator, envelope);
  if (id != kNone) withdraw(id);
  return id != kNone;
}

bool is_awaited(RankId owner, const Communicator& communicator, Envelope envelope) {
  return queues().find_receive(world_peer(communicator, envelope.peer, owner), envelope.context, owner, envelope.tag) !=
         kNone;
}

RequestId post_matched_receive(RequestId message, void* buffer, std::int64_t count, const Datatype& datatype) {
  const Request& send = request(message);
  // The communicator may have been freed in the meantime; the message contains all necessary information about it.
  const RequestId id = new_request(Role::kReceive, send.peer, send.communicator, send.owner,
                                   {send.source, send.tag, send.context}, buffer, count, datatype);
  if (observers) notify(&Observer::message_expected, request(id).posted, request(id));
  match(message, id);
  return id;
}

RequestId post_transfer(const Transfer& transfer) {
  const std::int64_t bytes = transfer.from_type->size * transfer.from_count;
  const RequestId id = new_request(Role::kReceive, transfer.receiver, transfer.handle, transfer.sender, {}, transfer.to,
                                   transfer.to_count, *transfer.to_type);
  Request& r = request(id);
  r.kind = RequestKind::kTransfer;
  r.flags |= kMatched | kDetached;
  r.matched_tag = kAnyTag;
  r.source = kAnySource;
  r.bytes = r.sent_bytes = bytes;
  ++simulation().counters.messages;
  simulation().counters.bytes += bytes;
  for (const RankId end : {transfer.sender, transfer.receiver}) {
    if (!has_failed(end)) continue;
    r.fault = failure_of(end);
    r.flags |= kComplete;
    return id;
  }
  if (bytes > 0 && transfer.to && !is_folded(transfer.from) && !is_folded(transfer.to)) {
    r.payload = std::malloc(bytes);
    r.flags |= kOwnsPayload;
    pack(*transfer.from_type, transfer.from, transfer.from_count, r.payload);
  }
  r.flags |= kHeld;
  Request leaving;  // the sender's request, for observers
  leaving.owner = transfer.sender;
  leaving.peer = transfer.receiver;
  leaving.bytes = bytes;
  leaving.posted = r.posted;
  leaving.sequence = r.message = r.sequence;
  r.message_posted = r.posted;
  leaving.kind = RequestKind::kTransfer;  // observers see the send as a transfer
  leaving.role = Role::kSend;
  if (observers) notify(&Observer::message_sent, r.posted, leaving);
  r.flow = start_flow(leaving, id, r.call_order, true);
  return id;
}

void await_message(RankId owner, const Communicator& communicator, Envelope envelope, Waiter* waiter) {
  add_probe({waiter, nullptr, envelope.context, world_peer(communicator, envelope.peer, owner), envelope.tag, owner});
  ++waiter->pending;
}

void watch_for_message(RankId owner, const Communicator& communicator, Envelope envelope, bool* unsuccessful) {
  if (find_message(owner, communicator, envelope) != kNone) return;
  *unsuccessful = true;
  add_probe(
      {nullptr, unsuccessful, envelope.context, world_peer(communicator, envelope.peer, owner), envelope.tag, owner});
}

void stop_watching(RankId owner, bool* unsuccessful) {
  if (!std::exchange(*unsuccessful, false)) return;
  end_repetition(owner);
  auto& [_, probes, further_probes, mailboxes, received] = Messages::current();
  if (probes[owner].unsuccessful == unsuccessful) probes[owner] = {};
  std::erase_if(further_probes, [unsuccessful](const Probe& probe) { return probe.unsuccessful == unsuccessful; });
}

void wake_probes(RankId failed) {
  const auto wake = [failed](Probe& probe) {
    const bool concerned = probe.sender == failed || (probe.unsuccessful && probe.owner == failed);
    if (!is_free(probe) && concerned) notify_probe(probe);
  };
  auto& [_, probes, further_probes, mailboxes, received] = Messages::current();
  std::for_each(probes.begin(), probes.end(), wake);
  std::for_each(further_probes.begin(), further_probes.end(), wake);
  std::erase_if(further_probes, is_free);
}

void await(RequestId id, Waiter* waiter) {
  Request& r = request(id);
  if (r.flags & kComplete) return;
  r.waiter = waiter;
  if (++waiter->pending == 1) waiter->place = simulation().next_call();
}

void await_alone(RequestId id, Waiter* waiter) {
  await(id, waiter);
  Request& r = request(id);
  const HostId host = simulation().host_of(r.owner);
  if (!simulation().processors.is_shared(host) || r.role == Role::kNone || (r.flags & kComplete)) return;
  r.flags |= kAwaitedAlone;
  deferred_actions().wait(Simulation::order_of(waiter->place), r.owner);
}

void wait_for_complete(RequestId id) {
  const Request& r = request(id);
  if (!r.is_send() || !(r.flags & kDetached)) simulation().call_order();
}

double receive_overhead(RequestId id) {
  const Request& r = request(id);
  if (!r.is_receive() || (r.flags & (kMatched | kTested)) != kMatched) return 0.0;
  return receive_overhead(r.bytes, (r.flags & kDetached) != 0);
}

void prefetch_request(std::uint32_t token) {
  const char* const begin = reinterpret_cast<const char*>(&request(token));
  __builtin_prefetch(begin);
  __builtin_prefetch(begin + 128);
}

void prefetch_waiter(std::uint32_t token) {
  const Request& r = request(token);
  const Request& awaited = r.is_send() && r.partner != kNone ? request(r.partner) : r;
  if (&awaited != &r) {
    prefetch_request(r.partner);
  } else if (awaited.waiter) {
    __builtin_prefetch(awaited.waiter);
  }
}

void flow_finished(std::uint32_t token) {
  Request& r = request(token);
  --simulation().flows_under_way;
  if (observers && !r.is_access()) notify(&Observer::message_arrived, simulation().now, r);
  r.flow = kNone;
  if (r.is_send()) {  // the flow was that of an eager message
    r.flags |= kArrived;
    if (!(r.flags & kComplete)) complete(token);
    if (r.partner == kNone) return;
    const RequestId receive = r.partner;
    complete(receive);
    release_hold(receive);
    release_hold(token);
    return;
  }
  if (r.is_transfer()) deliver(r);
  const RequestId send = r.partner;
  r.partner = kNone;
  if (send == kNone) {
    complete(token);
  } else {  // the rank that began to wait first continues first
    const Waiter *const sender = request(send).waiter, *const receiver = r.waiter;
    const bool sender_first = sender && receiver && sender->place < receiver->place;
    complete(sender_first ? send : token);
    complete(sender_first ? token : send);
    release_hold(send);
  }
  release_hold(token);
}

void extend_matching(RankId ranks) {
  UnmatchedRequests::current().extend(ranks);
  Messages::current().probes.resize(ranks);
}

}  // namespace pysmpi
