"""One rank reads a file while the other writes it."""

# kind: mismatched-collective

from mpi4py import MPI

world = MPI.COMM_WORLD

file = MPI.File.Open(world, "data.bin", MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
if world.rank == 0:
    file.Write_all(bytearray(4))  # WRONG
else:
    file.Read_all(bytearray(4))  # WRONG
file.Close()
