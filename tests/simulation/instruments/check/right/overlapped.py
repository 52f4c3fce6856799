"""Nonblocking collectives during messages and other collectives."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

parts = [np.full(100, float(rank)) for _ in range(3)]
totals = [np.zeros(100) for _ in range(3)]
inbox, outbox = np.zeros(100_000), np.ones(100_000)
messages = [world.Irecv(inbox, left), world.Isend(outbox, right)]
reductions = [world.Iallreduce(part, total) for part, total in zip(parts, totals, strict=True)]
table = np.zeros(size)
broadcast = world.Ibcast(table, 0)
world.Barrier()
world.allgather(rank)
MPI.Request.Waitall([*reductions, broadcast, *messages])
parts[0][:] = outbox[:] = 0
