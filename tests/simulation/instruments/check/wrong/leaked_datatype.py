"""No rank frees its datatype."""

# kind: unfreed-datatype

from mpi4py import MPI

made = MPI.INT.Create_contiguous(2)  # WRONG
