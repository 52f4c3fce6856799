"""One collective, called several times: collective.py OPERATION BYTES CALLS. The twin of collective.c.

With `start` for CALLS, each rank only starts one call on folded arrays, which shows the memory that calls need.
"""

import sys

import numpy as np
from mpi4py import MPI
from report import Stretch, tell

import pysmpi

world = MPI.COMM_WORLD
operation, size, calls = sys.argv[1], int(sys.argv[2]), sys.argv[3]
kind = float if operation == "allreduce" else np.uint8
items = size // np.dtype(kind).itemsize * (world.size if operation == "alltoall" else 1)

if calls == "start":
    folded = pysmpi.folded_empty(items, kind)
    begun = getattr(world, "I" + operation)(
        folded, folded if operation == "bcast" else pysmpi.folded_empty(items, kind)
    )
    if world.rank == world.size - 1:  # ranks start in order
        tell()
        world.Abort(0)
    begun.Wait()

sent, received = np.zeros(items, kind), np.zeros(items, kind)
stretch = Stretch(world)
for _ in range(int(calls)):
    if operation == "allreduce":
        world.Allreduce(sent, received)
    elif operation == "alltoall":
        world.Alltoall(sent, received)
    else:
        world.Bcast(sent)
stretch.end()
