// Functions that query and modify statuses.
#include "datatypes.hpp"
#include "datatypes/checks.hpp"
#include "status.hpp"

using namespace pysmpi;

namespace {

template <class Count>
int get_count(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
  const Datatype* type = find_datatype(datatype);
  if (!type) return invalid_datatype(function, datatype);
  const std::int64_t bytes = status_bytes(*status);
  if (type->size == 0) {
    *count = bytes == 0 ? 0 : MPI_UNDEFINED;
  } else {
    *count = bytes % type->size == 0 ? narrow<Count>(bytes / type->size) : MPI_UNDEFINED;
  }
  return MPI_SUCCESS;
}

template <class Count>
int get_elements(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
  const Datatype* type = committed_datatype(datatype);
  if (!type) return fail(MPI_COMM_NULL, MPI_ERR_TYPE, function, "%s", describe_unusable(datatype).c_str());
  const std::int64_t items = items_in(*type->signature, type->size, status_bytes(*status));
  *count = items < 0 ? MPI_UNDEFINED : narrow<Count>(items);
  return MPI_SUCCESS;
}

int set_elements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  const Datatype* type = find_datatype(datatype);
  if (!type) return invalid_datatype(function, datatype);
  if (count < 0) return fail(MPI_COMM_NULL, MPI_ERR_COUNT, function, "negative count %lld", count);
  set_status_bytes(*status, bytes_of(*type->signature, type->size, count), status_cancelled(*status));
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get_count("MPI_Get_count", status, datatype, count);
}
int MPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_count("MPI_Get_count", status, datatype, count);
}

int MPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return get_elements("MPI_Get_elements", status, datatype, count);
}
int MPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_elements("MPI_Get_elements_x", status, datatype, count);
}
int MPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return get_elements("MPI_Get_elements", status, datatype, count);
}

int MPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements("MPI_Status_set_elements_x", status, datatype, count);
}
int MPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return set_elements("MPI_Status_set_elements", status, datatype, count);
}

int MPI_Test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status_cancelled(*status);
  return MPI_SUCCESS;
}

int MPI_Status_set_cancelled(MPI_Status* status, int flag) {
  set_status_bytes(*status, status_bytes(*status), flag != 0);
  return MPI_SUCCESS;
}

int MPI_Status_get_source(const MPI_Status* status, int* source) {
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
}

int MPI_Status_get_tag(const MPI_Status* status, int* tag) {
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
}

int MPI_Status_get_error(const MPI_Status* status, int* error) {
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
}

int MPI_Status_set_source(MPI_Status* status, int source) {
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
}

int MPI_Status_set_tag(MPI_Status* status, int tag) {
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
}

int MPI_Status_set_error(MPI_Status* status, int error) {
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}

}  // extern "C"
