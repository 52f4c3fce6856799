"""Nobody frees what each rank makes here."""

# kind: unfreed-group

from mpi4py import MPI

world = MPI.COMM_WORLD
made = world.Get_group()  # WRONG
