// MPI_Wait*, cancelling and freeing requests, and statuses.
#include "mpi/requests.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "collectives/call.hpp"
#include "collectives/persistent.hpp"
#include "collectives/posted.hpp"
#include "engine/library_variables.hpp"
#include "matching/failures.hpp"
#include "matching/partitioned.hpp"
#include "mpi/completion.hpp"
#include "mpi/generalized.hpp"

namespace pysmpi {

void fill_status(const Request& r, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) return;
  if (r.is_schedule()) {
    set_empty_status(status);
  } else if (r.flags & kCancelled) {
    set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, true);
  } else if (r.is_receive() || r.is_access()) {
    set_status(status, r.source, r.matched_tag, r.bytes);
  } else {
    set_status(status, r.peer == kProcNull ? MPI_PROC_NULL : MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  }
}

namespace {

int error_of(const Request& r, const char* call) {
  if (r.fault.error == MPI_SUCCESS) return MPI_SUCCESS;
  if (r.is_schedule()) {
    return make_error_code(r.fault.error, r.call, "%s", describe_in_collective(r.fault).c_str());
  }
  if (r.fault.error == MPI_ERR_TRUNCATE) {
    return make_error_code(
        MPI_ERR_TRUNCATE, call,
        "message of %lld bytes from rank %d with tag %d truncated: the receive buffer has %lld bytes",
        static_cast<long long>(r.sent_bytes), r.source, r.matched_tag, static_cast<long long>(r.bytes));
  }
  return make_error_code(r.fault.error, call, "%s", describe(r.fault).c_str());
}

}  // namespace

bool has_ended(RequestId id) { return is_complete(id) && receive_overhead(id) <= 0.0; }

namespace {

Steps<bool> await_completion(RequestId id, const char* call) {
  if (!is_complete(id)) {
    Fiber& fiber = running_fiber();
    if (!fiber.stopping) await_alone(id, &fiber);
    const BlockedOn on{.call = call, .request = id, .requests = 1, .communicator = request(id).communicator};
    const bool going = co_await Blocked(on);
    if (!going) co_return false;
  }
  const double seconds = receive_overhead(id);
  if (seconds <= 0.0) co_return true;
  co_return co_await sleeping(seconds, call, Spent::kReceiveOverhead);
}

}  // namespace

Steps<bool> await_end(RequestId id, const char* call) {
  return request(id).is_posted() ? await_posted(id, call) : await_completion(id, call);
}

int end_request(RequestId id, bool going, MPI_Status* status, const char* call) {
  if (!going) {
    abandon(id);
    return kErrorStopped;
  }
  const Request& r = request(id);
  if (r.is_generalized()) return end_generalized(id, status);
  if (r.is_posted()) end_posted(id);
  fill_status(r, status);
  if (r.is_receive() && inside_rank()) simulation().measured_intervals.received(r.source, r.matched_tag, r.bytes);
  const int error = error_of(r, call);
  release(id);
  return error;
}

int wait_and_finish(RequestId id, MPI_Status* status, const char* call) {
  const bool going = has_ended(id) || run(await_end(id, call));
  return end_request(id, going, status, call);
}

bool any_active(int count, const MPI_Request* handles) { return std::any_of(handles, handles + count, is_active); }

int check_handles(int count, const MPI_Request* handles, const char* call) {
  if (count < 0) return fail(MPI_COMM_NULL, MPI_ERR_COUNT, call, "negative count %d of requests", count);
  for (int i = 0; i < count; ++i) {
    if (handles[i] != MPI_REQUEST_NULL && request_of(handles[i]) == kNone) {
      return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, call, "entry %d of %d is not a request (handle 0x%08x)", i, count,
                  static_cast<unsigned>(handles[i]));
    }
  }
  return MPI_SUCCESS;
}

std::int32_t communicator_of(MPI_Request handle) {
  const RequestId id = request_of(handle);
  return id == kNone ? MPI_COMM_NULL : request(id).communicator;
}

namespace {

// Returns whether a request is complete. The request must be active (see `is_active`).
bool handle_is_complete(MPI_Request handle) {
  const RequestId id = active_request(request_of(handle));
  return request(id).is_posted() ? all_parts_complete(id) : is_complete(id);
}

// Returns whether the request must be waited for before finish_request: it is active, and incomplete or an overhead
// must pass.
bool must_be_awaited(MPI_Request handle) {
  const RequestId active = active_request(request_of(handle));
  if (active == kNone) return false;
  if (observers) notify(&Observer::request_awaited, active);
  return !has_ended(active);
}

Steps<bool> await_handle(MPI_Request handle, const char* call) {
  return await_end(active_request(request_of(handle)), call);
}

// Fills the status, releases the request and sets the handle to MPI_REQUEST_NULL. A persistent request becomes inactive
// instead. `going` is false if the rank has been stopped while it waited for the request. Returns an MPI error code
// without calling an error handler.
int finish_request(MPI_Request* handle, bool going, MPI_Status* status, const char* call) {
  const RequestId id = request_of(*handle);
  const RequestId active = active_request(id);
  if (active == kNone) {
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  const int error = end_request(active, going, status, call);
  if (request(id).flags & kPersistent && active != id) {
    request(id).partner = kNone;
  } else {
    *handle = MPI_REQUEST_NULL;
  }
  return error;
}

}  // namespace

int first_complete(int count, const MPI_Request* handles, int from) {
  for (int i = from; i < count; ++i) {
    if (is_active(handles[i]) && handle_is_complete(handles[i])) return i;
  }
  return -1;
}

int first_detached_send(int count, const MPI_Request* handles) {
  for (int i = 0; i < count; ++i) {
    if (!is_active(handles[i])) continue;
    if (is_detached_send(request(active_request(request_of(handles[i]))))) return i;
  }
  return -1;
}

int finish_one(MPI_Request* handle, MPI_Status* status, const char* call) {
  const std::int32_t communicator = communicator_of(*handle);
  const bool going = !must_be_awaited(*handle) || run(await_handle(*handle, call));
  const int error = finish_request(handle, going, status, call);
  return error == MPI_SUCCESS || error == kErrorStopped ? error : raise_error(communicator, error);
}

void Finisher::operator()(MPI_Request* handle, MPI_Status* status) {
  if (!stopped) finish(handle, status, !must_be_awaited(*handle) || run(await_handle(*handle, call)));
}

void Finisher::finish(MPI_Request* handle, MPI_Status* status, bool going) {
  const std::int32_t of = communicator_of(*handle);
  const int error = finish_request(handle, going, status, call);
  if (error == kErrorStopped) {
    stopped = true;
    return;
  }
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
  if (error != MPI_SUCCESS && !failed) {
    failed = true;
    first_error = error;
    communicator = of;
  }
}

int Finisher::result() const {
  if (stopped) return kErrorStopped;
  if (!failed) return MPI_SUCCESS;
  return raise_error(communicator, make_error_code(MPI_ERR_IN_STATUS, call, "a request has failed: %s",
                                                   error_text(first_error).c_str()));
}

namespace {

void notify_awaited(int count, const MPI_Request* handles) {
  std::vector<RequestId> requests;
  for (int i = 0; i < count; ++i) {
    if (is_active(handles[i])) requests.push_back(active_request(request_of(handles[i])));
  }
  notify(&Observer::requests_awaited, std::span<const RequestId>(requests));
}

bool is_posted_collective(MPI_Request handle) {
  return is_active(handle) && request(active_request(request_of(handle))).is_posted();
}

// Calls `visit` for the requests that complete a request: itself, or the parts of a posted collective.
template <class Visit>
void each_part(RequestId id, Visit&& visit) {
  if (!request(id).is_posted()) return visit(id);
  for (const RequestId part : parts_of_posted(id)) {
    if (!is_complete(part)) visit(part);
  }
}

constexpr int kNoneYet = -2;

// Blocks until a request, or a message of a posted collective, is complete. Returns the index of the request that woke
// the rank (others may complete at the same time), kNoneYet if a collective has further messages, or -1 if the rank is
// being stopped.
Steps<int> wait_for_next(int count, const MPI_Request* handles, const char* call) {
  Fiber& fiber = running_fiber();
  if (fiber.stopping) co_return -1;
  RequestId first = kNone;
  std::int32_t waiting = 0;
  for (int i = 0; i < count; ++i) {
    if (!is_active(handles[i])) continue;
    const RequestId id = active_request(request_of(handles[i]));
    if (first == kNone) first = id;
    ++waiting;
    each_part(id, [&fiber](RequestId part) { request(part).waiter = &fiber; });
  }
  fiber.pending = 1;
  fiber.place = simulation().next_call();
  const bool alive = co_await Blocked(
      {.call = call, .request = first, .requests = waiting, .communicator = request(first).communicator});
  if (!alive) co_return -1;
  fiber.pending = 0;
  int index = kNoneYet;
  for (int i = 0; i < count; ++i) {
    if (!is_active(handles[i])) continue;
    const RequestId id = active_request(request_of(handles[i]));
    if (request(id).is_posted() ? index < 0 && all_parts_complete(id) : id == fiber.last) index = i;
    each_part(id, [](RequestId part) { request(part).waiter = nullptr; });
  }
  co_return index;
}

// Returns the index of the first posted collective if it ends without the program or is the only request, or -1. SMPI's
// MPI_Waitany and MPI_Waitsome wait for the first collective, even if other requests complete earlier. So does this
// library, unless the program might have to act before the collective can end. Returns -1 also if a detached send comes
// first in the list, because it is complete.
int first_sure_posted(int count, const MPI_Request* handles) {
  for (int i = 0; i < count; ++i) {
    if (!is_active(handles[i])) continue;
    const RequestId id = active_request(request_of(handles[i]));
    if (is_detached_send(request(id))) return -1;
    if (request(id).is_posted()) {
      const bool is_only = std::count_if(handles, handles + count, is_active) == 1;
      return is_only || ends_by_itself(id) ? i : -1;
    }
  }
  return -1;
}

// Blocks until at least one request is complete, or a posted collective is the one to wait for. Returns its index, or
// -1 if the rank is being stopped.
Steps<int> wait_for_any(int count, const MPI_Request* handles, const char* call) {
  int index = kNoneYet;
  while (index == kNoneYet) {
    index = co_await wait_for_next(count, handles, call);
    if (index == -1) co_return -1;
    if (const int posted = first_sure_posted(count, handles); posted >= 0) co_return posted;
  }
  co_return index;
}

// SMPI asks its kernel about a request although it is complete, so that what the rank does next comes later.
void count_wait_for_complete(MPI_Request handle) {
  if (is_active(handle) && !is_posted_collective(handle) && handle_is_complete(handle)) {
    wait_for_complete(active_request(request_of(handle)));
  }
}

// Blocks until all requests are complete, except posted collectives. Returns false if the rank is being stopped.
Steps<bool> wait_for_all(int count, const MPI_Request* handles, const char* call) {
  Fiber& fiber = running_fiber();
  if (fiber.stopping) co_return false;
  RequestId first = kNone;
  std::int32_t waiting = 0;
  for (int i = 0; i < count; ++i) count_wait_for_complete(handles[i]);
  for (int i = 0; i < count; ++i) {
    if (!is_active(handles[i])) continue;
    const RequestId id = active_request(request_of(handles[i]));
    if (is_complete(id) || request(id).is_posted()) continue;
    if (first == kNone) first = id;
    ++waiting;
    await(id, &fiber);
  }
  co_return co_await Blocked({.call = call,
                              .request = first,
                              .requests = waiting,
                              .communicator = first == kNone ? MPI_COMM_NULL : request(first).communicator});
}

// Waits for all requests and finishes them. As in SMPI, posted collectives are waited for first. If receives have no
// overhead, all other requests are waited for together. Otherwise each is finished, with its overhead, in the order of
// completion, as in SMPI.
Steps<int> wait_and_finish_all(int count, MPI_Request* handles, MPI_Status* statuses, Finisher& finisher) {
  const char* const call = finisher.call;
  for (int i = 0; i < count; ++i) {
    if (!is_posted_collective(handles[i])) continue;
    const bool going = co_await await_handle(handles[i], call);
    if (!going) co_return kErrorStopped;
  }
  if (options().receive_overhead.empty()) {
    bool alive = true;
    if (inside_rank()) alive = co_await wait_for_all(count, handles, call);
    if (!alive) co_return kErrorStopped;
    for (int i = 0; i < count && !finisher.stopped; ++i) {
      if (!is_active(handles[i])) continue;
      bool going = true;
      if (must_be_awaited(handles[i])) going = co_await await_handle(handles[i], call);
      finisher.finish(handles + i, status_at(statuses, i), going);
    }
    co_return MPI_SUCCESS;
  }
  auto left = std::count_if(handles, handles + count, is_active);
  // Finished requests are skipped (see `is_active`). A request becomes complete only while the rank waits. Requests
  // before `from` were incomplete at the last test, so they need no further test before the next wait.
  int from = 0;
  for (; left > 0 && !finisher.stopped; --left) {
    int index = first_complete(count, handles, from);
    // A query function of the program may have waited, and other requests may have completed meanwhile.
    if (index < 0 && from > 0) index = first_complete(count, handles);
    const bool waits = index < 0;
    if (waits) index = co_await wait_for_any(count, handles, call);
    if (index < 0) co_return kErrorStopped;
    const bool sleeps = must_be_awaited(handles[index]);
    bool going = true;
    if (sleeps) going = co_await await_handle(handles[index], call);
    finisher.finish(handles + index, status_at(statuses, index), going);
    from = waits || sleeps ? 0 : index + 1;
  }
  co_return MPI_SUCCESS;
}

// Returns whether functions of the program are called when one of the requests ends.
bool any_calls_program(int count, const MPI_Request* handles) {
  return std::any_of(handles, handles + count, [](MPI_Request handle) {
    const RequestId id = request_of(handle);
    return id != kNone && (request(id).is_generalized() || (request(id).is_posted() && ends_in_program(id)));
  });
}

}  // namespace
}  // namespace pysmpi

using namespace pysmpi;

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  Call call("MPI_Wait");
  if (call.stopped()) return kErrorStopped;
  if (*request == MPI_REQUEST_NULL) {
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  if (const int error = check_handles(1, request, "MPI_Wait")) return error;
  if (inside_rank()) count_wait_for_complete(*request);
  return finish_one(request, status, "MPI_Wait");
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
  Call call("MPI_Waitall");
  if (call.stopped()) return kErrorStopped;
  if (const int error = check_handles(count, array_of_requests, "MPI_Waitall")) return error;
  if (observers) notify_awaited(count, array_of_requests);
  const std::unique_ptr<Finisher> finisher(new Finisher{"MPI_Waitall"});  // on the heap: ranks share the C stack
  const bool has_statuses = array_of_statuses != MPI_STATUSES_IGNORE;
  for (int i = 0; has_statuses && i < count; ++i) {
    if (is_active(array_of_requests[i])) continue;
    set_empty_status(array_of_statuses + i);
    array_of_statuses[i].MPI_ERROR = MPI_SUCCESS;
  }
  const bool in_greenlet = on_c_stack(array_of_requests) || (has_statuses && on_c_stack(array_of_statuses)) ||
                           any_calls_program(count, array_of_requests);
  const int error = run(
      wait_and_finish_all(count, permanent(array_of_requests), permanent(array_of_statuses), *finisher), in_greenlet);
  return error == MPI_SUCCESS ? finisher->result() : error;
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int* index, MPI_Status* status) {
  Call call("MPI_Waitany");
  if (call.stopped()) return kErrorStopped;
  if (const int error = check_handles(count, array_of_requests, "MPI_Waitany")) return error;
  if (!any_active(count, array_of_requests)) {
    *index = MPI_UNDEFINED;
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  int found = first_sure_posted(count, array_of_requests);
  if (found < 0) found = first_complete(count, array_of_requests);
  if (found < 0)
    found = run(wait_for_any(count, permanent(array_of_requests), "MPI_Waitany"), on_c_stack(array_of_requests));
  if (found < 0) return kErrorStopped;
  *index = found;
  return finish_one(array_of_requests + found, status, "MPI_Waitany");
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status array_of_statuses[]) {
  Call call("MPI_Waitsome");
  if (call.stopped()) return kErrorStopped;
  if (const int error = check_handles(incount, array_of_requests, "MPI_Waitsome")) return error;
  if (!any_active(incount, array_of_requests)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  int first = first_sure_posted(incount, array_of_requests);
  if (first < 0) first = first_detached_send(incount, array_of_requests);
  if (first < 0) first = first_complete(incount, array_of_requests);
  if (first < 0)
    first = run(wait_for_any(incount, permanent(array_of_requests), "MPI_Waitsome"), on_c_stack(array_of_requests));
  if (first < 0) return kErrorStopped;
  Finisher finish{"MPI_Waitsome"};
  array_of_indices[0] = first;
  finish(array_of_requests + first, status_at(array_of_statuses, 0));
  int done = 1;
  // Like SMPI, test each further request, at the cost of a test.
  for (int i = 0; i < incount && !finish.stopped; ++i) {
    if (i == first || !is_active(array_of_requests[i])) continue;
    bool complete = false;
    if (!poll_request(array_of_requests[i], "MPI_Waitsome", complete)) return kErrorStopped;
    if (!complete) continue;
    array_of_indices[done] = i;
    finish(array_of_requests + i, status_at(array_of_statuses, done));
    ++done;
  }
  *outcount = done;
  return finish.result();
}

int MPI_Request_free(MPI_Request* handle) {
  const RequestId id = request_of(*handle);
  if (id == kNone) return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, "MPI_Request_free", "the handle is not a request");
  const RequestId active = active_request(id);
  if (request(id).is_schedule()) {
    if (active != kNone) {
      return fail(request(id).communicator, MPI_ERR_REQUEST, "MPI_Request_free",
                  "%s is in progress; a nonblocking collective must be completed, not freed", request(id).call);
    }
    forget_persistent_collective(id);
  }
  if (request(id).is_partitioned()) free_partitioned(id);
  if (request(id).is_generalized()) {
    *handle = MPI_REQUEST_NULL;
    const int error = free_generalized(id);
    return error == MPI_SUCCESS ? MPI_SUCCESS : raise_error(MPI_COMM_NULL, error);
  }
  if (active != kNone) keep_payload(active);  // mpi4py's Request.Free releases the buffer
  if (active != kNone && active != id) release(active);
  release(id);
  *handle = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int MPI_Cancel(MPI_Request* handle) {
  Call call("MPI_Cancel");
  if (call.stopped()) return kErrorStopped;
  const RequestId id = request_of(*handle);
  if (id == kNone) return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, "MPI_Cancel", "the handle is not a request");
  if (request(id).is_schedule()) {
    return fail(request(id).communicator, MPI_ERR_REQUEST, "MPI_Cancel",
                "%s is a collective, which cannot be cancelled", request(id).call);
  }
  if (request(id).is_generalized()) {
    const int error = cancel_generalized(id);
    return error == MPI_SUCCESS ? MPI_SUCCESS : raise_error(MPI_COMM_NULL, error);
  }
  if (const RequestId active = active_request(id); active != kNone) cancel(active);
  return MPI_SUCCESS;
}
