"""Twin of staggered.c for mpi4py."""

import sys
import time

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
operation = sys.argv[1]
root, step, size = map(int, sys.argv[2:5])
contents = (np.arange(size) * 31 + np.arange(size) // 251).astype(np.uint8)
buffer = contents.copy() if comm.rank == root else np.full(size, 255, np.uint8)
begin = MPI.Wtime()
time.sleep(1e-6 * step * (comm.rank * 7 % comm.size))
if operation == "barrier":
    comm.Barrier()
if operation == "bcast":
    comm.Bcast(buffer.view(float), root)
elapsed = MPI.Wtime() - begin
assert operation != "bcast" or np.array_equal(buffer, contents)
print("R", comm.rank, f"{elapsed:.12g}")
