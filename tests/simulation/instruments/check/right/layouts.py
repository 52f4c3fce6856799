"""Columns are received as rows, structures as their fields, and buffers are filled only in part."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

matrix = np.arange(12.0).reshape(3, 4)
column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
pair = MPI.Datatype.Create_struct([1, 1], [0, 8], [MPI.DOUBLE, MPI.INT64_T]).Commit()
pairs = pair.Create_contiguous(3).Commit()
row = np.zeros(3)
world.Sendrecv([matrix, 1, column], right, recvbuf=row, source=left)
assert list(row) == [0, 4, 8]
records = bytearray(96)
world.Sendrecv([bytearray(48), 3, pair], right, recvbuf=[records, 2, pairs], source=left)
world.Bcast([matrix, 1, column] if rank == 0 else row, 0)
world.Gather([matrix, 1, column], np.zeros((size, 3)) if rank == 1 else None, 1)
world.Bcast([records, 3, pair] if rank else [records, 1, pairs], 0)
world.Sendrecv([bytearray(24), 1, pair], right, recvbuf=[records, 1, pairs], source=left)
for datatype in (column, pair, pairs):
    datatype.Free()
