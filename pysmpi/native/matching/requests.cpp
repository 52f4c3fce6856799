// The pool of requests, their completion and their release.
#include "matching/requests.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/observer.hpp"
#include "engine/simulation.hpp"
#include "matching/compound.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

template class SimulationPart<RequestPool>;

namespace {

RequestId pool_size() { return RequestPool::current().size(); }
std::uint32_t& loans_of(RankId rank) { return UnmatchedRequests::current().loans[rank]; }

void drop(RequestId id) {
  Request& r = request(id);
  if ((r.flags & (kHeld | kReleased)) != kReleased) return;
  if (r.flags & kOwnsPayload) std::free(r.payload);
  if (r.datatype) release_datatype(*r.datatype);
  r.kind = RequestKind::kMessage;
  r.role = Role::kNone;
  r.flags = 0;
  r.owner = -1;
  RequestPool::current().free.push_back(id);
}

// Copy readable bytes only. A program may have unmapped the buffer of a send that it never waited for. memcpy would
// then crash, but process_vm_readv stops at unreadable bytes. The bytes sent are undefined in that case.
void copy_readable(void* from, std::size_t bytes, void* to) {
  char* source = static_cast<char*>(from);
  char* target = static_cast<char*>(to);
  while (bytes > 0) {
    const iovec there{source, bytes}, here{target, bytes};
    const ssize_t copied = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (copied <= 0) return;
    source += copied;
    target += copied;
    bytes -= static_cast<std::size_t>(copied);
  }
}

}  // namespace

void RequestPool::add_chunks() {
  const RequestId first = size();
  const auto added = std::clamp(static_cast<std::uint32_t>(chunks.size() / 8), 1U, kMostChunks);
  Request* const begin = memory.emplace_back(std::size_t{added} * kPerChunk).data();
  for (std::uint32_t i = 0; i < added; ++i) chunks.push_back(begin + std::size_t{i} * kPerChunk);
  for (RequestId i = added * kPerChunk; i > 0; --i) free.push_back(first + i - 1);
}

RequestId allocate_request() {
  RequestPool& pool = RequestPool::current();
  if (pool.free.empty()) pool.add_chunks();
  const RequestId id = pool.free.back();
  pool.free.pop_back();
  request(id) = Request{};
  request(id).number = id;
  return id;
}

bool is_request(RequestId id) { return id < pool_size() && request(id).owner >= 0 && !(request(id).flags & kReleased); }

void begin_loan(Request& r) {
  r.flags |= kHeld;
  if ((r.flags & kBorrows) || r.bytes == 0 || is_folded(r.buffer) || (r.is_send() && (r.flags & kOwnsPayload))) return;
  r.flags |= kBorrows;
  ++loans_of(r.owner);
}

void enqueue(RequestId id) {
  Request& r = request(id);
  begin_loan(r);
  if (r.is_send()) {
    queues().add_send(id);
  } else {
    queues().add_receive(id);
  }
}

void end_loan(Request& r) {
  if (!(r.flags & kBorrows)) return;
  r.flags &= ~kBorrows;
  --loans_of(r.owner);
}

void end_wait(Request& r) {
  if (!(r.flags & kAwaitedAlone)) return;
  r.flags &= ~kAwaitedAlone;
  simulation().processors.end_wait(simulation().host_of(r.owner));
}

void complete(RequestId id) {
  Request& r = request(id);
  end_wait(r);
  r.flags |= kComplete;
  if (observers) notify(&Observer::request_completed, simulation().now, r);
  if (Waiter* waiter = r.waiter) {
    r.waiter = nullptr;
    if (r.flags & kListed) waiter->list(r.place);
    waiter->completed_one(id);
  }
}

void release_hold(RequestId id) {
  request(id).flags &= ~kHeld;
  drop(id);
}

void withdraw(RequestId id) {
  Request& r = request(id);
  if (!(r.flags & kMatched)) queues().remove(id);
  if (r.flow != kNone) {
    simulation().carrier->cancel(simulation().now, r.flow);
    --simulation().flows_under_way;
    r.flow = kNone;
  }
  end_loan(r);
  release_hold(id);
}

void cancel(RequestId id) {
  undecided_posts().decide_all();
  Request& r = request(id);
  if ((r.flags & kMatched) || !(r.flags & kHeld)) return;
  r.flags |= kCancelled;
  complete(id);
  withdraw(id);
}

void release(RequestId id) {
  if (observers) notify(&Observer::request_released, id);
  request(id).flags |= kReleased;
  drop(id);
}

void abandon(RequestId id) {
  request(id).waiter = nullptr;
  cancel(id);
  release(id);
}

void keep_payload(RequestId id) {
  Request& r = request(id);
  if (r.is_compound()) keep_payloads(id);
  if (!r.is_send() || !(r.flags & kBorrows)) return;
  void* const kept = std::calloc(r.bytes, 1);
  copy_readable(r.payload, r.bytes, kept);
  r.payload = kept;
  r.flags |= kOwnsPayload;
  end_loan(r);
}

void keep_messages(RankId rank) {
  for (RequestId id = 0; loans_of(rank) > 0 && id < pool_size(); ++id) {
    if (request(id).owner == rank) keep_payload(id);
  }
}

void forget_rank(RankId rank) {
  if (loans_of(rank) > 0) undecided_posts().decide_all();
  const bool stopped = simulation().fibers[rank].stopping;
  for (RequestId id = 0; loans_of(rank) > 0 && id < pool_size(); ++id) {
    Request& r = request(id);
    if (r.owner != rank || !(r.flags & kBorrows)) continue;
    if (stopped || !r.is_send()) {
      withdraw(id);
    } else {
      keep_payload(id);
    }
  }
}

UnmatchedRequests::UnmatchedRequests(RankId ranks) : loans(ranks) {
  queues.reset(ranks);
  undecided.extend(ranks);
}

void UnmatchedRequests::extend(RankId ranks) {
  queues.extend(ranks);
  undecided.extend(ranks);
  loans.resize(ranks);
}

RequestPool::~RequestPool() {
  for (RequestId id = 0; id < size(); ++id) {
    if (request(id).flags & kOwnsPayload) std::free(request(id).payload);
  }
}

}  // namespace pysmpi
