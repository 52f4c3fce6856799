"""Churn of collective requests: nonblocking, persistent and blocking ones, and reductions in Python."""

from typing import Any

import numpy as np
from churn import churn
from mpi4py import MPI

world = MPI.COMM_WORLD
ones, result, gathered = np.ones(16), np.zeros(16), np.zeros(16 * world.size)


def add_to(summand: Any, total: Any, _: MPI.Datatype) -> None:
    """Add in Python, as a reduction operation."""
    np.add(np.frombuffer(summand), np.frombuffer(total), np.frombuffer(total))


def a_round(number: int) -> int:
    """Start and complete eight collectives."""
    requests = [
        world.Ibarrier(),
        world.Ibcast(ones, number % world.size),
        world.Iallreduce(ones, result),
        world.Iallgather(ones, gathered),
    ]
    MPI.Request.Waitall(requests)
    persistent = world.Allreduce_init(ones, result)
    persistent.Start()
    persistent.Wait()
    persistent.Free()
    world.Reduce(ones, result, root=number % world.size)
    world.allreduce((number, world.rank), op=MPI.MAXLOC)
    add = MPI.Op.Create(add_to, commute=True)
    world.Allreduce(ones, result, op=add)
    add.Free()
    return 8


churn(10_000, a_round)
