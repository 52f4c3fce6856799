"""Tests of MPI programs with pytest: on simulated ranks inside its process, or on real ranks under mpiexec."""
