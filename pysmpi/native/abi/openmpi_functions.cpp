// Symbols of Open MPI's library that its mpi.h names, and those that its library for C++ (libmpi_cxx.so.40) asks for.
#include <cstdio>
#include <cstdlib>

#include "abi/conversions.hpp"

using namespace pysmpi::abi;

#define COPY_AND_DELETE(Prefix, Handle)                                                       \
  int OMPI_C_MPI_##Prefix##NULL_DELETE_FN(Handle, int, void*, void*) { return MPI_SUCCESS; }  \
  int OMPI_C_MPI_##Prefix##NULL_COPY_FN(Handle, int, void*, void*, void*, int* flag) {        \
    *flag = 0;                                                                                \
    return MPI_SUCCESS;                                                                       \
  }                                                                                           \
  int OMPI_C_MPI_##Prefix##DUP_FN(Handle, int, void*, void* value, void* copied, int* flag) { \
    *static_cast<void**>(copied) = value;                                                     \
    *flag = 1;                                                                                \
    return MPI_SUCCESS;                                                                       \
  }

// Internal functions of Open MPI that its C++ bindings call. They print an error and abort.
#define REFUSED_INTERNAL(name)                                                             \
  int name() {                                                                             \
    std::fputs("pysmpi: keys, operations and error handlers of MPI's C++ bindings (" #name \
               "), which MPI 3.0 "                                                         \
               "removed, are not supported; use those of C\n",                             \
               stderr);                                                                    \
    std::abort();                                                                          \
  }

extern "C" {

// Variables that Open MPI's library for C++ asks for, with the sizes that they have in Open MPI 4.1. The bindings only
// use them together with the functions that are refused below.
int ompi_errcode_intern_lastused = 0, opal_class_init_epoch = 0;
bool opal_uses_threads = false;
char ompi_errcodes_intern[120] = {}, ompi_registered_datareps[64] = {}, opal_list_item_t_class[64] = {};

COPY_AND_DELETE(COMM_, Comm)
COPY_AND_DELETE(TYPE_, Datatype)
COPY_AND_DELETE(WIN_, Win)
COPY_AND_DELETE(, Comm)

int MPIX_Query_cuda_support() { return 0; }
int MPIX_Query_rocm_support() { return 0; }

REFUSED_INTERNAL(ompi_attr_create_keyval)
REFUSED_INTERNAL(ompi_errhandler_create)
REFUSED_INTERNAL(ompi_errhandler_invoke)
REFUSED_INTERNAL(ompi_op_set_cxx_callback)
REFUSED_INTERNAL(opal_class_initialize)

}  // extern "C"
