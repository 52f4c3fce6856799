// MPI_Test* and MPI_Request_get_status*.
#include "base/observer.hpp"
#include "collectives/posted.hpp"
#include "matching/polling.hpp"
#include "mpi/completion.hpp"
#include "mpi/generalized.hpp"

namespace pysmpi {

bool poll_request(MPI_Request handle, const char* call, bool& complete) {
  const RequestId id = active_request(request_of(handle));
  if (observers) notify(&Observer::request_tested, id);
  if (request(id).flags & kTested) {
    complete = true;
    return true;
  }
  if (request(id).is_posted()) return poll_posted(id, call, complete);
  bool going = true;
  const auto look = [&] {
    if (!is_complete(id)) return false;
    const double seconds = receive_overhead(id);  // passes before SMPI's counter of tests begins again
    if (seconds <= 0.0) return true;
    going = sleep_for(seconds, call, Spent::kReceiveOverhead);
    request(id).flags |= kTested;
    return true;
  };
  const bool asks = !is_detached_send(request(id));
  return poll(&Simulation::failed_tests, call, look, complete, asks) && going;
}

}  // namespace pysmpi

using namespace pysmpi;

namespace {

// The part of MPI_Test that MPI_Request_get_status shares: everything except the treatment of a complete request.
// Returns an MPI error code.
int test_one(MPI_Request handle, const char* call, int* flag, MPI_Status* status) {
  if (const int error = check_handles(1, &handle, call)) return error;
  if (!is_active(handle)) {
    *flag = 1;
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  bool complete = false;
  if (!poll_request(handle, call, complete)) return kErrorStopped;
  *flag = complete;
  return MPI_SUCCESS;
}

// The common part of MPI_Testall and MPI_Request_get_status_all. It tests all requests, complete or not. Returns an MPI
// error code. `once` is true for MPI_Testall. SMPI's MPI_Testall finishes each request that it finds complete, so this
// function then does not test it again in later calls. As MPI requires, no request is released before all are complete.
int test_all(int count, const MPI_Request* handles, const char* call, bool once, int* flag) {
  if (const int error = check_handles(count, handles, call)) return error;
  bool all = true;
  for (int i = 0; i < count; ++i) {
    if (!is_active(handles[i])) continue;
    const RequestId id = active_request(request_of(handles[i]));
    bool complete = false;
    if (!poll_request(handles[i], call, complete)) return kErrorStopped;
    all = all && complete;
    if (once && complete) request(id).flags |= kTested;
  }
  *flag = all;
  return MPI_SUCCESS;
}

// The common part of MPI_Testany and MPI_Request_get_status_any. Sets `index` to the index of a complete request, or to
// MPI_UNDEFINED if none is complete. Returns an MPI error code.
int test_any(int count, const MPI_Request* handles, const char* call, int* index, int* flag, MPI_Status* status) {
  if (const int error = check_handles(count, handles, call)) return error;
  *index = MPI_UNDEFINED;
  *flag = 1;
  if (!any_active(count, handles)) {
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  int found = first_detached_send(count, handles);
  if (found >= 0) {  // SMPI's MPI_Testany does not test it either
    *index = found;
    return MPI_SUCCESS;
  }
  const auto look = [&] { return (found = first_complete(count, handles)) >= 0; };
  bool complete = false;
  if (observers) notify(&Observer::other_operation, simulation().running, call);
  if (!poll(&Simulation::failed_test_anys, call, look, complete)) return kErrorStopped;
  *flag = complete;
  if (complete) *index = found;
  return MPI_SUCCESS;
}

// Fills the status of a request that is complete, null or inactive. The request does not change.
int peek(MPI_Request handle, MPI_Status* status) {
  if (!is_active(handle)) {
    set_empty_status(status);
    return MPI_SUCCESS;
  }
  const RequestId id = active_request(request_of(handle));
  if (request(id).is_generalized()) return query_generalized(id, status);
  fill_status(request(id), status);
  return MPI_SUCCESS;
}

// Fills the status as peek does, and also stores the error code in it, as functions on several requests must.
int peek_at(MPI_Request handle, MPI_Status* status) {
  const int error = peek(handle, status);
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
  return error == MPI_SUCCESS ? MPI_SUCCESS : raise_error(MPI_COMM_NULL, error);
}

}  // namespace

int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  Call call("MPI_Test");
  if (call.stopped()) return kErrorStopped;
  if (const int error = test_one(*request, "MPI_Test", flag, status)) return error;
  return *flag && is_active(*request) ? finish_one(request, status, "MPI_Test") : MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
  Call call("MPI_Testall");
  if (call.stopped()) return kErrorStopped;
  if (const int error = test_all(count, array_of_requests, "MPI_Testall", true, flag)) return error;
  if (!*flag) return MPI_SUCCESS;
  Finisher finish{"MPI_Testall"};
  for (int i = 0; i < count; ++i) {
    MPI_Status* status = status_at(array_of_statuses, i);
    if (is_active(array_of_requests[i])) {
      finish(array_of_requests + i, status);
    } else if (status != MPI_STATUS_IGNORE) {
      set_empty_status(status);
      status->MPI_ERROR = MPI_SUCCESS;
    }
  }
  return finish.result();
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status) {
  Call call("MPI_Testany");
  if (call.stopped()) return kErrorStopped;
  if (const int error = test_any(count, array_of_requests, "MPI_Testany", index, flag, status)) return error;
  return *index == MPI_UNDEFINED ? MPI_SUCCESS : finish_one(array_of_requests + *index, status, "MPI_Testany");
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                 MPI_Status array_of_statuses[]) {
  Call call("MPI_Testsome");
  if (call.stopped()) return kErrorStopped;
  if (const int error = check_handles(incount, array_of_requests, "MPI_Testsome")) return error;
  if (!any_active(incount, array_of_requests)) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  Finisher finish{"MPI_Testsome"};
  int done = 0;
  for (int i = 0; i < incount; ++i) {
    if (!is_active(array_of_requests[i])) continue;
    bool complete = false;
    if (!poll_request(array_of_requests[i], "MPI_Testsome", complete)) return kErrorStopped;
    if (!complete) continue;
    array_of_indices[done] = i;
    finish(array_of_requests + i, status_at(array_of_statuses, done));
    ++done;
  }
  *outcount = done;
  return finish.result();
}

int MPI_Request_get_status(MPI_Request handle, int* flag, MPI_Status* status) {
  Call call("MPI_Request_get_status");
  if (call.stopped()) return kErrorStopped;
  if (const int error = test_one(handle, "MPI_Request_get_status", flag, status)) return error;
  if (!*flag) return MPI_SUCCESS;
  const int error = peek(handle, status);
  return error == MPI_SUCCESS ? MPI_SUCCESS : raise_error(communicator_of(handle), error);
}

int MPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag,
                               MPI_Status array_of_statuses[]) {
  Call call("MPI_Request_get_status_all");
  if (call.stopped()) return kErrorStopped;
  if (const int error = test_all(count, array_of_requests, "MPI_Request_get_status_all", false, flag)) return error;
  for (int i = 0; *flag && i < count; ++i) {
    if (const int error = peek_at(array_of_requests[i], status_at(array_of_statuses, i))) return error;
  }
  return MPI_SUCCESS;
}

int MPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int* index, int* flag,
                               MPI_Status* status) {
  Call call("MPI_Request_get_status_any");
  if (call.stopped()) return kErrorStopped;
  constexpr const char* kFunction = "MPI_Request_get_status_any";
  if (const int error = test_any(count, array_of_requests, kFunction, index, flag, status)) return error;
  if (*index == MPI_UNDEFINED) return MPI_SUCCESS;
  const int error = peek(array_of_requests[*index], status);
  return error == MPI_SUCCESS ? MPI_SUCCESS : raise_error(communicator_of(array_of_requests[*index]), error);
}

int MPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount,
                                int array_of_indices[], MPI_Status array_of_statuses[]) {
  Call call("MPI_Request_get_status_some");
  if (call.stopped()) return kErrorStopped;
  if (const int error = check_handles(incount, array_of_requests, "MPI_Request_get_status_some")) return error;
  *outcount = MPI_UNDEFINED;
  if (!any_active(incount, array_of_requests)) return MPI_SUCCESS;
  int done = 0;
  for (int i = 0; i < incount; ++i) {
    if (!is_active(array_of_requests[i])) continue;
    bool complete = false;
    if (!poll_request(array_of_requests[i], "MPI_Request_get_status_some", complete)) return kErrorStopped;
    if (!complete) continue;
    array_of_indices[done] = i;
    if (const int error = peek_at(array_of_requests[i], status_at(array_of_statuses, done))) return error;
    ++done;
  }
  *outcount = done;
  return MPI_SUCCESS;
}
