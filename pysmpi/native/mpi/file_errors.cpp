// Error handlers of files.
#include "mpi/mpi.h"
#include "objects/error_handler.hpp"
#include "objects/errors.hpp"

using namespace pysmpi;

namespace {

std::intptr_t address_of(MPI_File file) { return reinterpret_cast<std::intptr_t>(file); }

// Returns whether the file is one that the running rank has opened, or MPI_FILE_NULL, whose error handler new files
// inherit.
bool is_file(MPI_File file) {
  return file == MPI_FILE_NULL || has_error_handler(static_cast<std::int32_t>(address_of(file)));
}

int invalid_file(const char* function, MPI_File file) {
  return raise_file_error(0, make_error_code(MPI_ERR_FILE, function, "no file has the handle 0x%08lx; was it closed?",
                                             static_cast<unsigned long>(address_of(file))));
}

}  // namespace

extern "C" {

int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler handler) {
  if (!is_file(file)) return invalid_file("MPI_File_set_errhandler", file);
  if (!is_error_handler(handler, HandledObject::kFile)) {
    return raise_file_error(address_of(file), make_error_code(MPI_ERR_ERRHANDLER, "MPI_File_set_errhandler",
                                                              "0x%08x is not an error handler for files", handler));
  }
  set_communicator_error_handler(static_cast<std::int32_t>(address_of(file)), handler);
  return MPI_SUCCESS;
}

int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler* handler) {
  if (!is_file(file)) return invalid_file("MPI_File_get_errhandler", file);
  *handler = file_error_handler(static_cast<std::int32_t>(address_of(file)));
  retain_error_handler(*handler);
  return MPI_SUCCESS;
}

int MPI_File_call_errhandler(MPI_File file, int code) {
  if (!is_file(file)) return invalid_file("MPI_File_call_errhandler", file);
  raise_file_error(address_of(file), code);
  return MPI_SUCCESS;
}

}  // extern "C"
