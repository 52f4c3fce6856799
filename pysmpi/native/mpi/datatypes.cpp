// What programs ask of datatypes, and packing. Making datatypes: pysmpi/mpi/datatype.py.
#include "memory/datatype.hpp"

#include <climits>

#include "communicators.hpp"
#include "objects/errors.hpp"

using namespace pysmpi;

namespace {

int invalid_datatype(const char* function, MPI_Datatype type) {
  return fail(MPI_COMM_NULL, MPI_ERR_TYPE, function, "no datatype has the handle 0x%08x; was it freed?", type);
}

// Copies `bytes` packed bytes between a program's buffer of packed data and its typed data, and moves the position.
struct Packing {
  const char* function;
  MPI_Comm comm;
  std::int64_t room;  // of the packed buffer
  int* position;

  int check(const Datatype* type, MPI_Datatype handle, int count) const {
    if (find_communicator(comm) == nullptr) return invalid_communicator(function, comm);
    if (type == nullptr) return invalid_datatype(function, handle);
    if (count < 0) return fail(comm, MPI_ERR_COUNT, function, "negative count %d", count);
    if (*position < 0 || *position + type->size * count > room) {
      return fail(comm, MPI_ERR_TRUNCATE, function, "%lld bytes at position %d do not fit in a buffer of %lld bytes",
                  static_cast<long long>(type->size * count), *position, static_cast<long long>(room));
    }
    return MPI_SUCCESS;
  }
};

}  // namespace

extern "C" {

int MPI_Type_size(MPI_Datatype handle, int* size) {
  const Datatype* type = find_datatype(handle);
  if (type == nullptr) return invalid_datatype("MPI_Type_size", handle);
  *size = type->size <= INT_MAX ? static_cast<int>(type->size) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Type_size_x(MPI_Datatype handle, MPI_Count* size) {
  const Datatype* type = find_datatype(handle);
  if (type == nullptr) return invalid_datatype("MPI_Type_size_x", handle);
  *size = type->size;
  return MPI_SUCCESS;
}

int MPI_Type_get_extent(MPI_Datatype handle, MPI_Aint* lower_bound, MPI_Aint* extent) {
  const Datatype* type = find_datatype(handle);
  if (type == nullptr) return invalid_datatype("MPI_Type_get_extent", handle);
  *lower_bound = type->lower_bound;
  *extent = type->extent;
  return MPI_SUCCESS;
}

int MPI_Type_get_extent_x(MPI_Datatype handle, MPI_Count* lower_bound, MPI_Count* extent) {
  const Datatype* type = find_datatype(handle);
  if (type == nullptr) return invalid_datatype("MPI_Type_get_extent_x", handle);
  *lower_bound = type->lower_bound;
  *extent = type->extent;
  return MPI_SUCCESS;
}

int MPI_Type_get_true_extent(MPI_Datatype handle, MPI_Aint* lower_bound, MPI_Aint* extent) {
  const Datatype* type = find_datatype(handle);
  if (type == nullptr) return invalid_datatype("MPI_Type_get_true_extent", handle);
  *lower_bound = type->true_lower_bound;
  *extent = type->true_extent;
  return MPI_SUCCESS;
}

int MPI_Type_get_true_extent_x(MPI_Datatype handle, MPI_Count* lower_bound, MPI_Count* extent) {
  const Datatype* type = find_datatype(handle);
  if (type == nullptr) return invalid_datatype("MPI_Type_get_true_extent_x", handle);
  *lower_bound = type->true_lower_bound;
  *extent = type->true_extent;
  return MPI_SUCCESS;
}

int MPI_Pack_size(int count, MPI_Datatype handle, MPI_Comm comm, int* size) {
  const Datatype* type = find_datatype(handle);
  if (type == nullptr) return invalid_datatype("MPI_Pack_size", handle);
  if (count < 0) return fail(comm, MPI_ERR_COUNT, "MPI_Pack_size", "negative count %d", count);
  const std::int64_t bytes = type->size * count;
  *size = bytes <= INT_MAX ? static_cast<int>(bytes) : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int MPI_Pack(const void* buffer, int count, MPI_Datatype handle, void* packed, int room, int* position, MPI_Comm comm) {
  const Datatype* type = find_datatype(handle);
  const Packing packing{"MPI_Pack", comm, room, position};
  const int error = packing.check(type, handle, count);
  if (error != MPI_SUCCESS) return error;
  pack(*type, buffer, count, static_cast<char*>(packed) + *position);
  *position += static_cast<int>(type->size * count);
  return MPI_SUCCESS;
}

int MPI_Unpack(const void* packed, int room, int* position, void* buffer, int count, MPI_Datatype handle,
               MPI_Comm comm) {
  const Datatype* type = find_datatype(handle);
  const Packing packing{"MPI_Unpack", comm, room, position};
  const int error = packing.check(type, handle, count);
  if (error != MPI_SUCCESS) return error;
  unpack(*type, static_cast<const char*>(packed) + *position, type->size * count, buffer);
  *position += static_cast<int>(type->size * count);
  return MPI_SUCCESS;
}

}  // extern "C"
