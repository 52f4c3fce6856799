"""The second of two buffered sends has no room."""

# kind: attached-buffer-too-small

from mpi4py import MPI

world = MPI.COMM_WORLD

if world.rank == 0:
    MPI.Attach_buffer(bytearray(100 + MPI.BSEND_OVERHEAD))
    world.Bsend(bytearray(60), 1)
    world.Bsend(bytearray(60), 1)  # WRONG
world.Barrier()
if world.rank == 1:
    world.Recv(bytearray(60), 0)
    world.Recv(bytearray(60), 0)
else:
    MPI.Detach_buffer()
