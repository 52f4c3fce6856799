// Records of point-to-point calls in time-independent traces, in SMPI's format.
#include "mpi/recording.hpp"

#include <unordered_map>

#include "base/options.hpp"
#include "matching/protocol.hpp"
#include "mpi/request_handles.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kTracesAnySource = -555, kTracesAnyTag = -444;  // SMPI's values

struct OpenRequest {
  RankId owner, sender, receiver;
  std::int32_t tag;
};
// Open requests by id; looked up, never iterated.
std::unordered_map<RequestId, OpenRequest> open_requests;
std::unordered_map<RankId, std::int32_t> open_counts;

std::uint32_t recording = 0;  // number of the recorder that they belong to

void forget_others() {
  if (recording == recorder->number()) return;
  recording = recorder->number();
  open_requests.clear();
  open_counts.clear();
}

std::int32_t peer_in_world(const Communicator& communicator, std::int32_t peer) {
  return peer == kAnySource ? kTracesAnySource : communicator.peer_world(peer, me());
}

// Traces have only one communicator. Messages of other communicators are distinguished by higher tags.
std::int32_t tag_in_trace(const Communicator& communicator, std::int32_t tag) {
  constexpr std::uint32_t kEach = 1 << 17;
  if (tag == kAnyTag) {
    if (communicator.context != 0)
      recorder->cannot_express(me(), "MPI_ANY_TAG on a communicator other than MPI_COMM_WORLD");
    return kTracesAnyTag;
  }
  const std::uint64_t numbered = std::uint64_t{communicator.context / 2} * kEach + static_cast<std::uint32_t>(tag);
  return static_cast<std::int32_t>(numbered & 0x3fffffff);
}

}  // namespace

void record_message(const char* action, const Communicator& communicator, Envelope envelope, std::int64_t bytes) {
  if (envelope.peer == kProcNull) return;
  recorder->line(me(), "%s %d %d %lld 6", action, peer_in_world(communicator, envelope.peer),
                 tag_in_trace(communicator, envelope.tag), static_cast<long long>(bytes));
}

void record_message(const char* action, const Message& m, std::int64_t count, SendMode mode) {
  const std::int64_t bytes = m.datatype->size * count;
  if (is_detached(bytes, mode) != is_detached(bytes, SendMode::kStandard) ||
      is_eager(bytes, mode) != is_eager(bytes, SendMode::kStandard)) {
    recorder->cannot_express(me(), mode == SendMode::kBuffered ? "a long buffered send" : "a short synchronous send");
  }
  record_message(action, *m.communicator, m.envelope, bytes);
}

void record_request(RequestId id, const Communicator& communicator, Envelope envelope, bool receives) {
  if (envelope.peer == kProcNull) return;
  forget_others();
  const std::int32_t peer = peer_in_world(communicator, envelope.peer);
  open_requests[id] = {me(), receives ? peer : me(), receives ? me() : peer, tag_in_trace(communicator, envelope.tag)};
  ++open_counts[me()];
}

void record_wait(RequestId id) {
  forget_others();
  const auto found = open_requests.find(id);
  if (found == open_requests.end() || found->second.owner != me()) return;
  const OpenRequest& r = found->second;
  recorder->line(me(), "wait %d %d %d", r.sender, r.receiver, r.tag);
  open_requests.erase(found);
  --open_counts[me()];
}

void record_test(RequestId id) {
  forget_others();
  const auto found = open_requests.find(id);
  if (found == open_requests.end() || found->second.owner != me()) return;
  const OpenRequest& r = found->second;
  recorder->line(me(), "test %d %d %d", r.sender, r.receiver, r.tag);
}

void record_waitall(int count, const MPI_Request* handles) {
  forget_others();
  std::int32_t known = 0;
  const auto each = [&](auto&& visit) {
    for (int i = 0; i < count; ++i) {
      const RequestId id = request_of(handles[i]);
      if (id == kNone || active_request(id) == kNone) continue;
      const auto found = open_requests.find(active_request(id));
      if (found != open_requests.end() && found->second.owner == me()) visit(found);
    }
  };
  each([&](auto) { ++known; });
  if (known == 0 || known != open_counts[me()]) return;  // otherwise each request gets its own wait
  recorder->line(me(), "waitall");
  each([&](auto found) { open_requests.erase(found); });
  open_counts[me()] = 0;
}

}  // namespace pysmpi
