"""Churn of windows of all kinds: created, accessed under each kind of synchronisation, freed; and info objects."""

import numpy as np
from churn import churn
from mpi4py import MPI

world = MPI.COMM_WORLD
right = (world.rank + 1) % world.size
value, memory = np.ones(4), np.zeros(4)


def a_round(number: int) -> int:
    """Create four windows and an info object."""
    info = MPI.Info.Create()
    info["number"] = str(number)
    allocated = MPI.Win.Allocate(32, 8, info, world)
    created = MPI.Win.Create(memory, 8, comm=world)
    shared = MPI.Win.Allocate_shared(32, 8, comm=world)
    dynamic = MPI.Win.Create_dynamic(comm=world)
    info.Free()
    allocated.Fence()
    allocated.Put(value, right)
    allocated.Fence(MPI.MODE_NOSUCCEED)
    created.Lock(right)
    created.Accumulate(value, right)
    request = created.Rget(value, right)
    request.Wait()
    created.Unlock(right)
    shared.Lock_all()
    shared.Sync()
    shared.Unlock_all()
    dynamic.Attach(memory)
    dynamic.Detach(memory)
    for window in (allocated, created, shared, dynamic):
        window.Free()
    return 5


churn(5_000, a_round)
