"""Nobody frees what each rank makes here."""

# kind: unfreed-datatype

from mpi4py import MPI

made = MPI.INT.Create_contiguous(2)  # WRONG
