"""No rank frees its operation."""

# kind: unfreed-operation

from mpi4py import MPI

made = MPI.Op.Create(lambda *_: None)  # WRONG
