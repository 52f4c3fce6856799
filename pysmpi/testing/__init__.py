"""Tests of MPI programs with pytest: on simulated ranks inside pytest's process, or on real ranks under mpiexec."""
