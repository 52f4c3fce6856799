// Simulated file accesses, which advance step by step from the engine's events.
#include "io/access.hpp"

#include "base/observer.hpp"
#include "engine/simulation.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

// An access in progress. The engine's loop advances it while its rank does other work.
class RunningAccess final : public Waiter {
 public:
  void begin(const FileAccess& access, RequestId request) {
    access_ = access;
    request_ = request;
    transfer_ = kNone;
    step_ = 0;
    wake();
  }
  void wake() override;

 private:
  void take(std::int32_t step);
  void send();

  FileAccess access_{};
  RequestId request_ = kNone;
  RequestId transfer_ = kNone;  // message in progress
  std::int32_t step_ = 0;
};

Accesses::Accesses() = default;
Accesses::~Accesses() = default;

namespace {

RequestId new_request(RankId rank) {
  if (observers) notify(&Observer::other_operation, rank, "the access of a file");
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.kind = RequestKind::kFileAccess;
  r.flags = kMatched | kHeld;
  r.owner = r.peer = rank;
  r.source = kAnySource;
  r.matched_tag = kAnyTag;
  return id;
}

}  // namespace

void RunningAccess::wake() {
  constexpr std::int32_t kSteps = 3;
  if (transfer_ != kNone) {
    if (request(transfer_).fault.error != 0) request(request_).fault = request(transfer_).fault;
    release(transfer_);
    transfer_ = kNone;
  }
  while (step_ < kSteps) {
    take(step_++);
    if (pending > 0) return;
  }
  complete(request_);
  release_hold(request_);
  Accesses::current().unused.push_back(this);
}

void RunningAccess::take(std::int32_t step) {
  Simulation& engine = simulation();
  const bool reads = access_.direction == Direction::kRead;
  if (step == 0) {
    if (access_.latency <= 0.0) return;
    ++pending;
    engine.timers.add(engine.now + access_.latency, this);
  } else if (access_.bytes <= 0.0) {
    return;
  } else if ((step == 1) == reads) {
    ++pending;
    engine.disks.access(engine.now, access_.disk, access_.direction, access_.bytes, this);
  } else if (access_.host != kNone) {
    send();
  }
}

void RunningAccess::send() {
  Simulation& engine = simulation();
  const RankId rank = request(request_).owner;
  const HostId here = engine.host_of(rank);
  const bool reads = access_.direction == Direction::kRead;
  transfer_ = new_request(rank);
  request(transfer_).flow = engine.carrier->start(engine.now, {.source = reads ? access_.host : here,
                                                               .destination = reads ? here : access_.host,
                                                               .bytes = access_.bytes,
                                                               .sent = engine.now,
                                                               .eager = true,
                                                               .message = Accesses::current().next_message++,
                                                               .token = transfer_,
                                                               .order = engine.call_order()});
  ++engine.flows_under_way;  // the route was checked when the file was opened
  await(transfer_, this);
}

RequestId start_access(const FileAccess& access, std::int64_t reported) {
  Accesses& accesses = Accesses::current();
  if (accesses.unused.empty()) {
    accesses.unused.push_back(accesses.all.emplace_back(std::make_unique<RunningAccess>()).get());
  }
  RunningAccess* const running = accesses.unused.back();
  accesses.unused.pop_back();
  const RankId rank = simulation().running;
  const RequestId id = new_request(rank);
  request(id).bytes = reported;
  if (observers) notify(&Observer::file_accessed, rank, access.direction == Direction::kWrite, reported);
  running->begin(access, id);
  return id;
}

}  // namespace pysmpi
