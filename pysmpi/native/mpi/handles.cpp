// Conversions of handles to integers and to Fortran's handles, which are the same integers. File handles, which are
// pointers, are converted in file_access.cpp.
#include <cstring>

#include "mpi.h"

#define CONVERSIONS(Name, Handle)                             \
  int MPI_##Name##_toint(Handle handle) { return handle; }    \
  Handle MPI_##Name##_fromint(int number) { return number; }  \
  MPI_Fint MPI_##Name##_c2f(Handle handle) { return handle; } \
  Handle MPI_##Name##_f2c(MPI_Fint number) { return number; }

extern "C" {

CONVERSIONS(Comm, MPI_Comm)
CONVERSIONS(Errhandler, MPI_Errhandler)
CONVERSIONS(Group, MPI_Group)
CONVERSIONS(Info, MPI_Info)
CONVERSIONS(Message, MPI_Message)
CONVERSIONS(Op, MPI_Op)
CONVERSIONS(Request, MPI_Request)
CONVERSIONS(Session, MPI_Session)
CONVERSIONS(Type, MPI_Datatype)
CONVERSIONS(Win, MPI_Win)

// A status in Fortran is an array of the same integers, in the same order, as MPI_Status in C.
int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {
  std::memcpy(f_status, c_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {
  std::memcpy(c_status, f_status, sizeof *c_status);
  return MPI_SUCCESS;
}

int MPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {
  *f08_status = *c_status;
  return MPI_SUCCESS;
}

int MPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {
  *c_status = *f08_status;
  return MPI_SUCCESS;
}

int MPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) {
  return MPI_Status_f2c(f_status, f08_status);
}

int MPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) {
  return MPI_Status_c2f(f08_status, f_status);
}

}  // extern "C"
