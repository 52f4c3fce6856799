// Generalized requests and the program's functions for them.
#include "mpi/generalized.hpp"

#include <cstdlib>
#include <new>

#include "matching/requests.hpp"
#include "mpi/message.hpp"
#include "mpi/request_handles.hpp"
#include "mpi/status.hpp"

namespace pysmpi {
namespace {

struct Generalized {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* extra_state;
  bool abandoned = false;  // freed by MPI_Request_free
};

Generalized& generalized(RequestId id) { return *static_cast<Generalized*>(request(id).payload); }

int end(RequestId id) {
  const Generalized g = generalized(id);
  release(id);
  return g.free ? g.free(g.extra_state) : MPI_SUCCESS;
}

}  // namespace

int query_generalized(RequestId id, MPI_Status* status) {
  const Generalized g = generalized(id);
  MPI_Status found{};
  set_empty_status(&found);
  const int error = g.query ? g.query(g.extra_state, &found) : MPI_SUCCESS;
  if (status != MPI_STATUS_IGNORE) {
    found.MPI_ERROR = status->MPI_ERROR;
    *status = found;
  }
  return error;
}

int end_generalized(RequestId id, MPI_Status* status) {
  const int queried = query_generalized(id, status);
  const int freed = end(id);
  return queried != MPI_SUCCESS ? queried : freed;
}

int cancel_generalized(RequestId id) {
  const Generalized g = generalized(id);
  return g.cancel ? g.cancel(g.extra_state, is_complete(id)) : MPI_SUCCESS;
}

int free_generalized(RequestId id) {
  if (is_complete(id)) return end(id);
  generalized(id).abandoned = true;
  return MPI_SUCCESS;
}

}  // namespace pysmpi

using namespace pysmpi;

int MPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                       MPI_Grequest_cancel_function* cancel, void* extra_state, MPI_Request* handle) {
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.kind = RequestKind::kGeneralized;
  r.owner = me();
  r.communicator = MPI_COMM_NULL;
  r.flags |= kOwnsPayload;  // freed with the request
  r.payload = new (std::malloc(sizeof(Generalized))) Generalized{query, free, cancel, extra_state};
  *handle = handle_of(id);
  return MPI_SUCCESS;
}

int MPI_Grequest_complete(MPI_Request handle) {
  const RequestId id = request_of(handle);
  if (id == kNone || !request(id).is_generalized() || is_complete(id)) {
    return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, "MPI_Grequest_complete", "0x%08x is not a pending generalized request",
                static_cast<unsigned>(handle));
  }
  complete(id);
  if (!generalized(id).abandoned) return MPI_SUCCESS;
  const int error = end(id);
  return error == MPI_SUCCESS ? MPI_SUCCESS : raise_error(MPI_COMM_NULL, error);
}
