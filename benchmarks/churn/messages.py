"""Churn of messages: blocking, nonblocking, small, large, any source, probed, pickled, derived datatypes."""

import numpy as np
from churn import churn
from mpi4py import MPI

world = MPI.COMM_WORLD
right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
small, into = np.zeros(128, "b"), np.zeros(128, "b")
large, large_into = np.zeros(100_000, "b"), np.zeros(100_000, "b")
column = MPI.BYTE.Create_vector(64, 1, 2).Commit()
persistent = [world.Send_init(small, right, 9), world.Recv_init(into, left, 9)]


def a_round(number: int) -> int:
    """Send ten messages per rank, and occasionally some that cost more."""
    for _ in range(3):
        world.Sendrecv(small, right, 0, into, left)
    requests = [world.Irecv(into, MPI.ANY_SOURCE, tag) for tag in (1, 2)]
    requests += [world.Isend(small, right, tag) for tag in (1, 2)]
    MPI.Request.Waitall(requests)
    request = world.Isend([small, 1, column], right, 3)
    world.Probe(left, 3)
    world.Recv([into, 1, column], left, 3)
    request.Wait()
    MPI.Prequest.Startall(persistent)
    MPI.Request.Waitall(persistent)
    request = world.Irecv(into, left, 4)
    world.Send(small, right, 4)
    while not request.Test():
        pass
    for _ in range(2):
        world.Isend(small, right, 5).Free()
        world.Recv(into, left, 5)
    if number % 100:
        return 10
    world.Sendrecv(large, right, 6, large_into, left)
    world.sendrecv({"number": number}, right, 7, None, left)
    request = world.Irecv(into, left, 8)
    request.Cancel()
    request.Wait()
    return 12


churn(250_000, a_round)
column.Free()
