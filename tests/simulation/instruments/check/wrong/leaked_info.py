"""No rank frees its info."""

# kind: unfreed-info

from mpi4py import MPI

made = MPI.Info.Create()  # WRONG
