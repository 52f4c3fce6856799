// MPI_File_read, MPI_File_write and all their variants, in the form for large counts. One Python function implements
// them (pysmpi/simulation/mpi/file_access.py); its arguments say which variant the program called.
#include "default_function.hpp"
#include "io/c_api.h"
#include "mpi/status.hpp"

using namespace pysmpi;

namespace {

using AccessFunction = int(std::intptr_t, const char*, int, std::int64_t, void*, std::int64_t, int, std::int64_t*,
                           int*);
using EndFunction = int(std::intptr_t, const char*, int, std::int64_t*);

struct Data {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};

int access(const char* name, int how, MPI_File file, MPI_Offset offset, const Data& data, MPI_Status* status,
           MPI_Request* request) {
  static const PythonFunction& function = python_function("MPI_File_access");
  std::int64_t bytes = 0;
  const int code =
      call_python<AccessFunction>(function, name, kNoCommunicator, reinterpret_cast<std::intptr_t>(file), name, how,
                                  offset, const_cast<void*>(data.buffer), data.count, data.type, &bytes, request);
  if (code == MPI_SUCCESS) set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, bytes);
  return code;
}

int end_access(const char* name, int how, MPI_File file, MPI_Status* status) {
  static const PythonFunction& function = python_function("MPI_File_access_end");
  std::int64_t bytes = 0;
  const int code = call_python<EndFunction>(function, name, kNoCommunicator, reinterpret_cast<std::intptr_t>(file),
                                            name, how, &bytes);
  if (code == MPI_SUCCESS) set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, bytes);
  return code;
}

constexpr int kRead = 0, kWrite = PYSMPI_FILE_WRITE, kAt = PYSMPI_FILE_AT, kShared = PYSMPI_FILE_SHARED,
              kOrdered = PYSMPI_FILE_ORDERED | PYSMPI_FILE_COLLECTIVE, kAll = PYSMPI_FILE_COLLECTIVE,
              kWithRequest = PYSMPI_FILE_NONBLOCKING, kSplit = PYSMPI_FILE_SPLIT;

}  // namespace

#define BLOCKING(NAME, MEMORY, HOW)                                                                              \
  int MPI_File_##NAME##_c(MPI_File fh, MEMORY buf, MPI_Count count, MPI_Datatype datatype, MPI_Status* status) { \
    return access("MPI_File_" #NAME, HOW, fh, 0, {buf, count, datatype}, status, nullptr);                       \
  }
#define BLOCKING_AT(NAME, MEMORY, HOW)                                                                        \
  int MPI_File_##NAME##_c(MPI_File fh, MPI_Offset offset, MEMORY buf, MPI_Count count, MPI_Datatype datatype, \
                          MPI_Status* status) {                                                               \
    return access("MPI_File_" #NAME, HOW | kAt, fh, offset, {buf, count, datatype}, status, nullptr);         \
  }
#define NONBLOCKING(NAME, MEMORY, HOW)                                                                               \
  int MPI_File_##NAME##_c(MPI_File fh, MEMORY buf, MPI_Count count, MPI_Datatype datatype, MPI_Request* request) {   \
    return access("MPI_File_" #NAME, HOW | kWithRequest, fh, 0, {buf, count, datatype}, MPI_STATUS_IGNORE, request); \
  }
#define NONBLOCKING_AT(NAME, MEMORY, HOW)                                                                             \
  int MPI_File_##NAME##_c(MPI_File fh, MPI_Offset offset, MEMORY buf, MPI_Count count, MPI_Datatype datatype,         \
                          MPI_Request* request) {                                                                     \
    return access("MPI_File_" #NAME, HOW | kAt | kWithRequest, fh, offset, {buf, count, datatype}, MPI_STATUS_IGNORE, \
                  request);                                                                                           \
  }
#define SPLIT(NAME, MEMORY, HOW)                                                                              \
  int MPI_File_##NAME##_begin_c(MPI_File fh, MEMORY buf, MPI_Count count, MPI_Datatype datatype) {            \
    return access("MPI_File_" #NAME "_begin", HOW | kSplit, fh, 0, {buf, count, datatype}, MPI_STATUS_IGNORE, \
                  nullptr);                                                                                   \
  }                                                                                                           \
  int MPI_File_##NAME##_end(MPI_File fh, MEMORY, MPI_Status* status) {                                        \
    return end_access("MPI_File_" #NAME "_end", HOW | kSplit, fh, status);                                    \
  }
#define SPLIT_AT(NAME, MEMORY, HOW)                                                                                   \
  int MPI_File_##NAME##_begin_c(MPI_File fh, MPI_Offset offset, MEMORY buf, MPI_Count count, MPI_Datatype datatype) { \
    return access("MPI_File_" #NAME "_begin", HOW | kAt | kSplit, fh, offset, {buf, count, datatype},                 \
                  MPI_STATUS_IGNORE, nullptr);                                                                        \
  }                                                                                                                   \
  int MPI_File_##NAME##_end(MPI_File fh, MEMORY, MPI_Status* status) {                                                \
    return end_access("MPI_File_" #NAME "_end", HOW | kAt | kSplit, fh, status);                                      \
  }

extern "C" {

BLOCKING(read, void*, kRead)
BLOCKING(read_all, void*, kRead | kAll)
BLOCKING(read_ordered, void*, kRead | kOrdered)
BLOCKING(read_shared, void*, kRead | kShared)
BLOCKING_AT(read_at, void*, kRead)
BLOCKING_AT(read_at_all, void*, kRead | kAll)
NONBLOCKING(iread, void*, kRead)
NONBLOCKING(iread_all, void*, kRead | kAll)
NONBLOCKING(iread_shared, void*, kRead | kShared)
NONBLOCKING_AT(iread_at, void*, kRead)
NONBLOCKING_AT(iread_at_all, void*, kRead | kAll)
SPLIT(read_all, void*, kRead | kAll)
SPLIT(read_ordered, void*, kRead | kOrdered)
SPLIT_AT(read_at_all, void*, kRead | kAll)

BLOCKING(write, const void*, kWrite)
BLOCKING(write_all, const void*, kWrite | kAll)
BLOCKING(write_ordered, const void*, kWrite | kOrdered)
BLOCKING(write_shared, const void*, kWrite | kShared)
BLOCKING_AT(write_at, const void*, kWrite)
BLOCKING_AT(write_at_all, const void*, kWrite | kAll)
NONBLOCKING(iwrite, const void*, kWrite)
NONBLOCKING(iwrite_all, const void*, kWrite | kAll)
NONBLOCKING(iwrite_shared, const void*, kWrite | kShared)
NONBLOCKING_AT(iwrite_at, const void*, kWrite)
NONBLOCKING_AT(iwrite_at_all, const void*, kWrite | kAll)
SPLIT(write_all, const void*, kWrite | kAll)
SPLIT(write_ordered, const void*, kWrite | kOrdered)
SPLIT_AT(write_at_all, const void*, kWrite | kAll)

int MPI_File_get_type_extent_c(MPI_File fh, MPI_Datatype datatype, MPI_Count* extent) {
  MPI_Aint found = 0;
  const int code = MPI_File_get_type_extent(fh, datatype, &found);
  if (code == MPI_SUCCESS) *extent = found;
  return code;
}

// The conversion functions are never called; only the name is registered.
int MPI_Register_datarep_c(const char* datarep, MPI_Datarep_conversion_function_c*, MPI_Datarep_conversion_function_c*,
                           MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state) {
  return MPI_Register_datarep(datarep, nullptr, nullptr, dtype_file_extent_fn, extra_state);
}

// File handles are small numbers stored in pointers.
int MPI_File_toint(MPI_File fh) { return static_cast<int>(reinterpret_cast<std::intptr_t>(fh)); }
MPI_File MPI_File_fromint(int number) { return reinterpret_cast<MPI_File>(static_cast<std::intptr_t>(number)); }
MPI_Fint MPI_File_c2f(MPI_File fh) { return MPI_File_toint(fh); }
MPI_File MPI_File_f2c(MPI_Fint number) { return MPI_File_fromint(number); }

}  // extern "C"
