"""No rank finalizes its session."""

# kind: unfinalized-session

from mpi4py import MPI

made = MPI.Session.Init()  # WRONG
