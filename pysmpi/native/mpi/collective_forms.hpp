// Macros that define the MPI functions of a collective: blocking, nonblocking and persistent. All call one
// implementation.
#pragma once

#include "mpi/collective_arguments.hpp"

// Defines the blocking, nonblocking and persistent function of a collective for one pair of types, `Count` and
// `Displacement`. `suffix` is appended to the names: nothing for int, _c for large counts.
// PARAMETERS is a macro that expands to the parameters for these types; the remaining arguments are passed to
// `function`.
#define PYSMPI_COLLECTIVE_WIDTH(function, Name, Iname, suffix, Count, Displacement, PARAMETERS, ...)        \
  int MPI_##Name##suffix(PARAMETERS(Count, Displacement)) { return function({"MPI_" #Name}, __VA_ARGS__); } \
  int MPI_##Iname##suffix(PARAMETERS(Count, Displacement), MPI_Request* request) {                          \
    return function({"MPI_" #Iname, Form::kNonblocking, request}, __VA_ARGS__);                             \
  }                                                                                                         \
  int MPI_##Name##_init##suffix(PARAMETERS(Count, Displacement), MPI_Info, MPI_Request* request) {          \
    return function({"MPI_" #Name "_init", Form::kPersistent, request}, __VA_ARGS__);                       \
  }

// Defines the large-count functions. The others call them (default_functions.py).
#define PYSMPI_COLLECTIVE(function, Name, Iname, PARAMETERS, ...) \
  PYSMPI_COLLECTIVE_WIDTH(function, Name, Iname, _c, MPI_Count, MPI_Aint, PARAMETERS, __VA_ARGS__)

// Defines the functions with counts of int and those with large counts, for collectives with arrays of counts.
#define PYSMPI_VECTOR_COLLECTIVE(function, Name, Iname, PARAMETERS, ...)              \
  PYSMPI_COLLECTIVE_WIDTH(function, Name, Iname, , int, int, PARAMETERS, __VA_ARGS__) \
  PYSMPI_COLLECTIVE_WIDTH(function, Name, Iname, _c, MPI_Count, MPI_Aint, PARAMETERS, __VA_ARGS__)
