"""Steps of the heat equation on 4,096 points a rank, in rows of a square plate: heat.py STEPS.

The number of ranks must be 1, 16, 256, 1024 or 4096, so that the plate's rows divide evenly.
"""

import sys

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
side = round(64 * world.size**0.5)
rows = side // world.size
heat = np.zeros((rows + 2, side))
change = np.ones(1)
if world.rank == 0:
    heat[0] = 1.0
above = world.rank - 1 if world.rank > 0 else MPI.PROC_NULL
below = world.rank + 1 if world.rank < world.size - 1 else MPI.PROC_NULL
for _ in range(int(sys.argv[1])):
    world.Sendrecv(heat[1], dest=above, recvbuf=heat[-1], source=below)
    world.Sendrecv(heat[-2], dest=below, recvbuf=heat[0], source=above)
    new = 0.25 * (heat[:-2, 1:-1] + heat[2:, 1:-1] + heat[1:-1, :-2] + heat[1:-1, 2:])
    change[0] = abs(new - heat[1:-1, 1:-1]).max()
    world.Allreduce(MPI.IN_PLACE, change, op=MPI.MAX)
    heat[1:-1, 1:-1] = new
