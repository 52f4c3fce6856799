// Partitioned communication: creation of requests, and functions on their partitions.
#include "matching/partitioned.hpp"

#include "engine/library_variables.hpp"
#include "matching/polling.hpp"
#include "mpi/message.hpp"
#include "mpi/requests.hpp"

using namespace pysmpi;

namespace {

int init(const char* function, Role role, void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int peer,
         int tag, MPI_Comm comm, MPI_Request* handle) {
  // Neither side may use wildcards. The buffer holds `partitions` times `count` elements.
  const Message m(function, Lent::kUntilComplete, false, buffer, count, type, peer, tag, comm);
  if (m.error) return m.error;
  if (partitions < 1) {
    return fail(comm, MPI_ERR_ARG, function, "invalid number of partitions %d; valid: 1 or more", partitions);
  }
  *handle = handle_of(make_partitioned(role, me(), *find_communicator(comm), m.envelope, permanent(buffer), partitions,
                                       count, *m.datatype));
  return MPI_SUCCESS;
}

// Finds the started partitioned send of a handle. Returns an error code if the handle has none.
int find_send(const char* function, MPI_Request handle, RequestId& id) {
  id = request_of(handle);
  if (id == kNone || !request(id).is_partitioned() || !request(id).is_send()) {
    return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, function, "the handle is not a request created by MPI_Psend_init");
  }
  if (request(id).partner != kNone) return MPI_SUCCESS;
  return fail(request(id).communicator, MPI_ERR_REQUEST, function, "the request has not been started");
}

int invalid_partition(const char* function, RequestId id, int partition) {
  return fail(request(id).communicator, MPI_ERR_ARG, function, "invalid partition %d; valid: 0 to %d", partition,
              partitions_of(id) - 1);
}

int ready(const char* function, RequestId id, int partition) {
  if (partition < 0 || partition >= partitions_of(id)) return invalid_partition(function, id, partition);
  if (is_ready(id, partition)) {
    return fail(request(id).communicator, MPI_ERR_ARG, function, "partition %d is already marked ready", partition);
  }
  const bool nobody = request(id).peer == MPI_PROC_NULL;
  const double seconds = nobody ? 0.0 : send_overhead(partition_bytes(id), true, SendMode::kStandard);
  if (seconds > 0.0 && !sleep_for(seconds, function, Spent::kSendOverhead)) return kErrorStopped;
  send_partition(id, partition);
  return MPI_SUCCESS;
}

int ready_range(const char* function, int first, int last, MPI_Request handle) {
  Call call(function);
  if (call.stopped()) return kErrorStopped;
  RequestId id;
  if (const int error = find_send(function, handle, id)) return error;
  if (first > last) return invalid_partition(function, id, first);
  for (int partition = first; partition <= last; ++partition) {
    if (const int error = ready(function, id, partition)) return error;
  }
  return MPI_SUCCESS;
}

}  // namespace

int MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return init("MPI_Psend_init", Role::kSend, const_cast<void*>(buf), partitions, count, datatype, dest, tag, comm,
              request);
}

int MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   MPI_Comm comm, MPI_Info, MPI_Request* request) {
  return init("MPI_Precv_init", Role::kReceive, buf, partitions, count, datatype, source, tag, comm, request);
}

int MPI_Pready(int partition, MPI_Request request) { return ready_range("MPI_Pready", partition, partition, request); }
int MPI_Pready_range(int first, int last, MPI_Request request) {
  return ready_range("MPI_Pready_range", first, last, request);
}

int MPI_Pready_list(int length, const int array_of_partitions[], MPI_Request handle) {
  Call call("MPI_Pready_list");
  if (call.stopped()) return kErrorStopped;
  RequestId id;
  if (const int error = find_send("MPI_Pready_list", handle, id)) return error;
  for (int i = 0; i < length; ++i) {
    if (const int error = ready("MPI_Pready_list", id, array_of_partitions[i])) return error;
  }
  return MPI_SUCCESS;
}

int MPI_Parrived(MPI_Request handle, int partition, int* flag) {
  Call call("MPI_Parrived");
  if (call.stopped()) return kErrorStopped;
  const RequestId id = request_of(handle);
  if (id == kNone || !request(id).is_partitioned() || !request(id).is_receive()) {
    return fail(MPI_COMM_NULL, MPI_ERR_REQUEST, "MPI_Parrived",
                "the handle is not a request created by MPI_Precv_init");
  }
  if (partition < 0 || partition >= partitions_of(id)) return invalid_partition("MPI_Parrived", id, partition);
  bool there = false;
  const auto look = [id, partition] { return has_arrived(id, partition); };
  if (!poll(&Simulation::failed_tests, "MPI_Parrived", look, there)) return kErrorStopped;
  *flag = there;
  return MPI_SUCCESS;
}
