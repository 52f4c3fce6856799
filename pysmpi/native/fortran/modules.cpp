// Functions that programs call by the names of MPICH's Fortran modules: comparisons of handles, conversions between
// handles and integers, copies of statuses, and sizes of variables.
#include "fortran/conversions.hpp"

using namespace pysmpi;

#define COMPARISONS(type)                                                                                           \
  MPI_Fint __mpi_f08_types_MOD_mpi_##type##_eq(const MPI_Fint* a, const MPI_Fint* b) { return logical(*a == *b); }  \
  MPI_Fint __mpi_f08_types_MOD_mpi_##type##_neq(const MPI_Fint* a, const MPI_Fint* b) { return logical(*a != *b); } \
  SAME(__mpi_f08_types_MOD_mpi_##type##_f08_eq_f, __mpi_f08_types_MOD_mpi_##type##_eq)                              \
  SAME(__mpi_f08_types_MOD_mpi_##type##_f_eq_f08, __mpi_f08_types_MOD_mpi_##type##_eq)                              \
  SAME(__mpi_f08_types_MOD_mpi_##type##_f08_neq_f, __mpi_f08_types_MOD_mpi_##type##_neq)                            \
  SAME(__mpi_f08_types_MOD_mpi_##type##_f_neq_f08, __mpi_f08_types_MOD_mpi_##type##_neq)                            \
  SAME(__mpi_constants_MOD_##type##eq, __mpi_f08_types_MOD_mpi_##type##_eq)                                         \
  SAME(__mpi_constants_MOD_##type##neq, __mpi_f08_types_MOD_mpi_##type##_neq)

// The functions return a handle or an integer, which are the same.
#define CONVERSIONS(type)                                                                   \
  MPI_Fint __mpi_f08_types_MOD_mpi_##type##_c2f(const MPI_Fint* handle) { return *handle; } \
  SAME(__mpi_f08_types_MOD_mpi_##type##_f2c, __mpi_f08_types_MOD_mpi_##type##_c2f)

// Sizes of variables in bytes: of scalars and of arrays (with a "v").
#define SIZE_OF(name, bytes)                                                                \
  void __mpi_sizeofs_MOD_mpi_sizeof_##name(const void*, MPI_Fint* size, MPI_Fint* ierror) { \
    *size = bytes;                                                                          \
    return_code(ierror, MPI_SUCCESS);                                                       \
  }                                                                                         \
  SAME(__mpi_sizeofs_MOD_mpi_sizeof_##name##v, __mpi_sizeofs_MOD_mpi_sizeof_##name)
#define SIZE_OF_F08(name, bytes)                                                              \
  void __mpi_f08_types_MOD_mpi_sizeof_##name(const void*, MPI_Fint* size, MPI_Fint* ierror) { \
    *size = bytes;                                                                            \
    return_code(ierror, MPI_SUCCESS);                                                         \
  }

extern "C" {

COMPARISONS(comm)
COMPARISONS(datatype)
COMPARISONS(errhandler)
COMPARISONS(file)
COMPARISONS(group)
COMPARISONS(info)
COMPARISONS(message)
COMPARISONS(op)
COMPARISONS(request)
COMPARISONS(session)
COMPARISONS(win)

CONVERSIONS(comm)
CONVERSIONS(datatype)
CONVERSIONS(errhandler)
CONVERSIONS(group)
CONVERSIONS(info)
CONVERSIONS(message)
CONVERSIONS(op)
CONVERSIONS(request)
CONVERSIONS(session)
CONVERSIONS(win)

void __mpi_f08_types_MOD_mpi_status_f2f08(const MPI_Status* from, MPI_Status* to, MPI_Fint* ierror) {
  *to = *from;
  return_code(ierror, MPI_SUCCESS);
}
SAME(__mpi_f08_types_MOD_mpi_status_f082f, __mpi_f08_types_MOD_mpi_status_f2f08)
void __mpi_f08_types_MOD_mpi_status_f08_assign_c(MPI_Status* to, const MPI_Status* from) { *to = *from; }
SAME(__mpi_f08_types_MOD_mpi_status_c_assign_f08, __mpi_f08_types_MOD_mpi_status_f08_assign_c)

SIZE_OF(ch, 1)
SIZE_OF(cx, 8)
SIZE_OF(d, 8)
SIZE_OF(i, 4)
SIZE_OF(i1, 1)
SIZE_OF(i2, 2)
SIZE_OF(i8, 8)
SIZE_OF(l, 4)
SIZE_OF(r, 4)
SIZE_OF_F08(character, 1)
SIZE_OF_F08(logical, 4)
SIZE_OF_F08(xint8, 1)
SIZE_OF_F08(xint16, 2)
SIZE_OF_F08(xint32, 4)
SIZE_OF_F08(xint64, 8)
SIZE_OF_F08(xreal32, 4)
SIZE_OF_F08(xreal64, 8)
SIZE_OF_F08(xreal128, 16)
SIZE_OF_F08(xcomplex32, 8)
SIZE_OF_F08(xcomplex64, 16)
SIZE_OF_F08(xcomplex128, 32)

}  // extern C
