// Each collective is one function of its arguments, of which MPI has six: blocking, nonblocking and persistent ones,
// with counts and displacements of two widths.
#pragma once

#include "mpi/collective_arguments.hpp"

// One width: a suffix for the names, and the types of counts and displacements. `PARAMETERS` is a macro that takes
// those two and gives the parameters, the other arguments are what `function` gets of them.
#define PYSMPI_COLLECTIVE_WIDTH(function, Name, Iname, suffix, Count, Displacement, PARAMETERS, ...)        \
  int MPI_##Name##suffix(PARAMETERS(Count, Displacement)) { return function({"MPI_" #Name}, __VA_ARGS__); } \
  int MPI_##Iname##suffix(PARAMETERS(Count, Displacement), MPI_Request* request) {                          \
    return function({"MPI_" #Iname, Form::kNonblocking, request}, __VA_ARGS__);                             \
  }                                                                                                         \
  int MPI_##Name##_init##suffix(PARAMETERS(Count, Displacement), MPI_Info, MPI_Request* request) {          \
    return function({"MPI_" #Name "_init", Form::kPersistent, request}, __VA_ARGS__);                       \
  }

#define PYSMPI_COLLECTIVE(function, Name, Iname, PARAMETERS, ...)                     \
  PYSMPI_COLLECTIVE_WIDTH(function, Name, Iname, , int, int, PARAMETERS, __VA_ARGS__) \
  PYSMPI_COLLECTIVE_WIDTH(function, Name, Iname, _c, MPI_Count, MPI_Aint, PARAMETERS, __VA_ARGS__)
