"""Executables as programs of ranks: compiled from C, C++ or Fortran and linked with an MPI library.

Each rank loads copies of the executable and of the libraries that it needs, whose variables are then the rank's own.
"""
