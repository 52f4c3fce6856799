"""Guard a file by mpilock's locks of one-sided communication: one rank writes, all read, each appends."""

import pathlib

from mpi4py import MPI
from mpilock import sync

controller = sync()
path = pathlib.Path("shared.txt")
with controller.single_write() as fence:
    fence.guard()
    path.write_text("begin\n")
MPI.COMM_WORLD.Barrier()
with controller.read():
    assert path.read_text().startswith("begin")
with controller.write():
    path.write_text(path.read_text() + f"{MPI.COMM_WORLD.rank}\n")
MPI.COMM_WORLD.Barrier()
if MPI.COMM_WORLD.rank == 0:
    print(sorted(path.read_text().split()))
controller.close()
