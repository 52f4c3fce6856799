"""One collective, called several times: collective.py OPERATION BYTES CALLS. The twin of collective.c.

With `start` for CALLS each rank begins one call, on folded arrays, and that is all: it tells what calls need in memory.
"""

import json
import pathlib
import re
import sys

import numpy as np
from mpi4py import MPI

import pysmpi

KIBIBYTE = 1024


def tell(**outcome: float) -> None:
    """Prints what one rank knows for all, with the bytes of memory that the process has had resident at most.

    Since it began: getrusage goes on from what its parent had.
    """
    resident = re.search(r"^VmHWM:\s*(\d+) kB$", pathlib.Path("/proc/self/status").read_text(), re.M)
    print(json.dumps({**outcome, "peak": int(resident[1]) * KIBIBYTE if resident else 0}), flush=True)


world = MPI.COMM_WORLD
operation, size, calls = sys.argv[1], int(sys.argv[2]), sys.argv[3]
kind = float if operation == "allreduce" else np.uint8
items = size // np.dtype(kind).itemsize * (world.size if operation == "alltoall" else 1)

if calls == "start":
    folded = pysmpi.folded_empty(items, kind)
    begun = getattr(world, "I" + operation)(
        folded, folded if operation == "bcast" else pysmpi.folded_empty(items, kind)
    )
    if world.rank == world.size - 1:  # ranks begin in their order
        tell()
        world.Abort(0)
    begun.Wait()

sent, received = np.zeros(items, kind), np.zeros(items, kind)
world.Barrier()
begun_at = MPI.Wtime()
for _ in range(int(calls)):
    if operation == "allreduce":
        world.Allreduce(sent, received)
    elif operation == "alltoall":
        world.Alltoall(sent, received)
    else:
        world.Bcast(sent)
world.Barrier()
if world.rank == 0:
    tell(simulated=MPI.Wtime() - begun_at)
