"""Tests of MPI programs, on virtual ranks inside the pytest process, or on real ranks under mpiexec."""
