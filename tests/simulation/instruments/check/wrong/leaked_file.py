"""No rank closes its file."""

# kind: unclosed-file

from mpi4py import MPI

world = MPI.COMM_WORLD
made = MPI.File.Open(world, "data.bin", MPI.MODE_CREATE | MPI.MODE_RDWR)  # WRONG
