"""Nobody frees what each rank makes here."""

# kind: unfinalized-session

from mpi4py import MPI

made = MPI.Session.Init()  # WRONG
