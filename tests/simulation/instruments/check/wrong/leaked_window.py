"""No rank frees its window."""

# kind: unfreed-window

from mpi4py import MPI

world = MPI.COMM_WORLD
made = MPI.Win.Allocate(8, comm=world)  # WRONG
