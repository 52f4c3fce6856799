"""One rank leaves out a collective access, which its closing of the file meets."""

# kind: mismatched-collective

from mpi4py import MPI

world = MPI.COMM_WORLD

file = MPI.File.Open(world, "data.bin", MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
if world.rank == 0:
    file.Write_at_all(0, bytearray(4))  # WRONG
file.Close()  # WRONG
