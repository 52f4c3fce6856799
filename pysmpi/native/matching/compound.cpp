// Compound requests, which are complete when all of their messages are complete.
#include "matching/compound.hpp"

#include "base/observer.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

namespace {

auto& compounds() { return Compounds::current().by_request; }

}  // namespace

void Compound::add(RequestId message) {
  messages.push_back(message);
  if (!is_complete(message)) {
    request(message).waiter = this;
  } else if (--pending == 0) {
    wake();
  }
}

void Compound::wake() {
  Request& r = request(whole_);
  for (const RequestId id : messages) {
    const Request& message = request(id);
    if (r.fault.error == 0) r.fault = message.fault;
    if (message.is_receive()) {
      r.source = message.source;
      if (r.matched_tag == kAnyTag) r.matched_tag = message.matched_tag;
      r.bytes += message.bytes;
      r.sent_bytes += message.sent_bytes;
      r.flags |= message.flags & kDetached;
    }
    release(id);
  }
  const RequestId whole = whole_;
  compounds().erase(whole);  // also destroys this object
  complete(whole);
  release_hold(whole);
}

RequestId begin_compound(RankId owner, const Communicator& communicator, Role role, Envelope envelope,
                         std::int32_t messages) {
  if (observers) notify(&Observer::other_operation, owner, "MPI_Isendrecv, or partitioned communication");
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.kind = RequestKind::kCompound;
  r.role = role;
  r.owner = owner;
  r.communicator = communicator.handle;
  r.peer = envelope.peer < 0 ? envelope.peer : communicator.peer_world(envelope.peer, owner);
  r.tag = envelope.tag;
  r.source = envelope.peer;
  r.matched_tag = envelope.peer == kProcNull ? kAnyTag : envelope.tag;
  if (messages == 0) {
    r.flags |= kComplete;
  } else {
    r.flags |= kMatched | kHeld;  // the request is in no matching queue, and is released when its messages have ended
    compounds()[id] = std::make_unique<Compound>(id, messages);
  }
  return id;
}

void expect_messages(RequestId whole, std::int32_t more) { compounds().at(whole)->pending += more; }

void add_message(RequestId whole, RequestId message) { compounds().at(whole)->add(message); }

void keep_memory(RequestId whole, std::unique_ptr<char[]> memory) { compounds().at(whole)->memory = std::move(memory); }

void keep_payloads(RequestId whole) {
  const auto found = compounds().find(whole);
  if (found == compounds().end()) return;
  for (const RequestId message : found->second->messages) keep_payload(message);
}

}  // namespace pysmpi
