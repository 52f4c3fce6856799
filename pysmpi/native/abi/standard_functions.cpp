// Functions that MPI 5.0 adds with its ABI (chapter 20).
#include <cstring>
#include <string>

#include "abi/conversions.hpp"

namespace pysmpi::abi {

extern "C" {
decltype(MPI_Info_create) pysmpi_MPI_Info_create;
decltype(MPI_Info_set) pysmpi_MPI_Info_set;
}

namespace {

int make_info(Info* info, std::initializer_list<std::pair<const char*, const char*>> entries) {
  HandleArgument<Info> made(info);
  int code = pysmpi_MPI_Info_create(made.pointer());
  for (const auto& [key, value] : entries) {
    if (code == MPI_SUCCESS) code = pysmpi_MPI_Info_set(*made.pointer(), key, value);
  }
  if (code == MPI_SUCCESS) made.store();
  return program_error(code);
}

// A Fortran logical is an integer of 1, 2, 4 or 8 bytes: 1 means true, 0 false, as with gfortran.
bool is_logical_size(int size) { return size == 1 || size == 2 || size == 4 || size == 8; }

void put_logical(void* place, int size, std::uint64_t value) { std::memcpy(place, &value, size); }

}  // namespace

extern "C" {

int abi_MPI_Abi_get_version(int* major, int* minor) {
  *major = 1;
  *minor = 0;
  return MPI_SUCCESS;
}

int abi_MPI_Abi_get_info(Info* info) {
  return make_info(info, {{"mpi_aint_size", "8"}, {"mpi_count_size", "8"}, {"mpi_offset_size", "8"}});
}

int abi_MPI_Abi_get_fortran_info(Info* info) {
  return make_info(info, {{"mpi_logical_size", "4"},
                          {"mpi_integer_size", "4"},
                          {"mpi_real_size", "4"},
                          {"mpi_double_precision_size", "8"},
                          {"mpi_logical1_supported", "true"},
                          {"mpi_logical2_supported", "true"},
                          {"mpi_logical4_supported", "true"},
                          {"mpi_logical8_supported", "true"},
                          {"mpi_logical16_supported", "false"},
                          {"mpi_integer1_supported", "true"},
                          {"mpi_integer2_supported", "true"},
                          {"mpi_integer4_supported", "true"},
                          {"mpi_integer8_supported", "true"},
                          {"mpi_integer16_supported", "true"},
                          {"mpi_real2_supported", "true"},
                          {"mpi_real4_supported", "true"},
                          {"mpi_real8_supported", "true"},
                          {"mpi_real16_supported", "true"},
                          {"mpi_complex4_supported", "true"},
                          {"mpi_complex8_supported", "true"},
                          {"mpi_complex16_supported", "true"},
                          {"mpi_complex32_supported", "true"},
                          {"mpi_double_complex_supported", "true"}});
}

// The sizes are fixed, so that setting them fails.
int abi_MPI_Abi_set_fortran_info(Info) { return program_error(MPI_ERR_ABI); }

int abi_MPI_Abi_get_fortran_booleans(int size, void* logical_true, void* logical_false, int* is_set) {
  if (!is_logical_size(size)) return program_error(MPI_ERR_ARG);
  put_logical(logical_true, size, 1);
  put_logical(logical_false, size, 0);
  *is_set = 1;
  return MPI_SUCCESS;
}

int abi_MPI_Abi_set_fortran_booleans(int, void*, void*) { return program_error(MPI_ERR_ABI); }

}  // extern "C"

}  // namespace pysmpi::abi
