"""Tests of MPI programs, on virtual ranks in the process of pytest, or on real ones under mpiexec."""
