"""Fences, locks and posts; accumulation at one place by all."""

import numpy as np
from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
right, left = (rank + 1) % size, (rank - 1) % size

memory = np.zeros(8)
window = MPI.Win.Create(memory, disp_unit=8, comm=world)
window.Fence()
window.Put(np.full(2, float(rank)), right, 2)
window.Fence()
assert memory[2] == left
window.Lock(0)
window.Accumulate(np.ones(1), 0, 7)
window.Unlock(0)
world.Barrier()
window.Lock_all()
box = np.zeros(1)
window.Get(box, 0, 7)
window.Flush(0)
window.Rget(box, right, 0).Wait()
window.Unlock_all()
world.Barrier()
window.Free()
