"""Nobody frees what each rank makes here."""

# kind: unfreed-window

from mpi4py import MPI

world = MPI.COMM_WORLD
made = MPI.Win.Allocate(8, comm=world)  # WRONG
