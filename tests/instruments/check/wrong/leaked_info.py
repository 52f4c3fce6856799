"""Nobody frees what each rank makes here."""

# kind: unfreed-info

from mpi4py import MPI

made = MPI.Info.Create()  # WRONG
