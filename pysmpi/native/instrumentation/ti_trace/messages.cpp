// Point-to-point messages in time-independent traces.
#include "engine/simulation.hpp"
#include "instrumentation/ti_trace/ti_trace.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kTracesAnySource = -555, kTracesAnyTag = -444;  // SMPI's

RankId me() { return simulation().running; }

std::int32_t peer_in_world(const Communicator& communicator, std::int32_t peer) {
  return peer == kAnySource ? kTracesAnySource : communicator.peer_world(peer, me());
}

}  // namespace

// Return the tag to be written to the trace. A trace has only one communicator, so the communicator's context becomes
// part of the tag, which keeps messages of different communicators apart.
std::int32_t TiTrace::tag_in_trace(const Communicator& communicator, std::int32_t tag) {
  constexpr std::uint32_t kEach = 1 << 17;
  if (tag == kAnyTag) {
    if (communicator.context != 0) other_operation(me(), "MPI_ANY_TAG on a communicator other than MPI_COMM_WORLD");
    return kTracesAnyTag;
  }
  const std::uint64_t numbered = std::uint64_t{communicator.context / 2} * kEach + static_cast<std::uint32_t>(tag);
  return static_cast<std::int32_t>(numbered & 0x3fffffff);
}

TiTrace::OpenRequest TiTrace::open_request(const Communicator& communicator, const Envelope& envelope, bool receives) {
  const std::int32_t peer = peer_in_world(communicator, envelope.peer);
  return {me(), receives ? peer : me(), receives ? me() : peer, tag_in_trace(communicator, envelope.tag)};
}

const TiTrace::OpenRequest* TiTrace::find_own(std::uint32_t request) const {
  const auto found = open_requests_.find(request);
  return found == open_requests_.end() || found->second.owner != me() ? nullptr : &found->second;
}

void TiTrace::message_called(const MessageCall& call) {
  if (is_detached(call.bytes, call.mode) != is_detached(call.bytes, SendMode::kStandard) ||
      is_eager(call.bytes, call.mode) != is_eager(call.bytes, SendMode::kStandard)) {
    other_operation(me(), call.mode == SendMode::kBuffered ? "a long buffered send" : "a short synchronous send");
  }
  if (call.envelope.peer == kProcNull) return;
  line(me(), "%s%s %d %d %lld 6", call.blocking ? "" : "i", call.receives ? "recv" : "send",
       peer_in_world(call.communicator, call.envelope.peer), tag_in_trace(call.communicator, call.envelope.tag),
       static_cast<long long>(call.bytes));
}

// SMPI's action sendRecv has no tags, so two nonblocking messages are written.
void TiTrace::exchange_called(const MessageCall& send, const MessageCall& receive) {
  for (const MessageCall* const each : {&send, &receive}) {
    message_called({each->receives, false, each->communicator, each->envelope, each->bytes, each->mode});
  }
  for (const MessageCall* const each : {&send, &receive}) {
    if (each->envelope.peer != kProcNull) wait(open_request(each->communicator, each->envelope, each->receives));
  }
}

void TiTrace::buffer_lent(std::uint32_t id, const Envelope& envelope, Holding holding) {
  if (holding != Holding::kUntilComplete || envelope.peer == kProcNull) return;
  const Request& r = request(id);
  const Communicator* const communicator = find_communicator(r.communicator);
  if (!communicator) return;
  open_requests_[id] = open_request(*communicator, envelope, r.is_receive());
  ++open_counts_[me()];
}

void TiTrace::wait(const OpenRequest& request) {
  line(me(), "wait %d %d %d", request.sender, request.receiver, request.tag);
}

void TiTrace::request_awaited(std::uint32_t request) {
  const OpenRequest* const open = find_own(request);
  if (!open) return;
  wait(*open);
  open_requests_.erase(request);
  --open_counts_[me()];
}

void TiTrace::request_tested(std::uint32_t request) {
  if (const OpenRequest* const open = find_own(request)) {
    line(me(), "test %d %d %d", open->sender, open->receiver, open->tag);
  }
}

// The action waitall waits for all pending requests of a rank. If the program's call does not wait for all of them,
// each request is written as a separate wait.
void TiTrace::requests_awaited(std::span<const std::uint32_t> requests) {
  std::int32_t known = 0;
  for (const std::uint32_t request : requests) known += find_own(request) != nullptr;
  if (known == 0 || known != open_counts_[me()]) return;
  line(me(), "waitall");
  for (const std::uint32_t request : requests) {
    if (find_own(request)) open_requests_.erase(request);
  }
  open_counts_[me()] = 0;
}

void TiTrace::message_sent(double, const Request& send) {
  if (send.is_transfer()) other_operation(send.owner, "one-sided communication");
}

}  // namespace pysmpi
