"""Steps that make 2,000 container objects each, so that garbage is collected: objects.py STEPS."""

import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
for _ in range(int(sys.argv[1])):
    objects = [[i] for i in range(2000)]
    world.Barrier()
