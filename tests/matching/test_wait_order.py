"""A wait for a complete request is a call in SMPI's order of calls, so what follows it comes after calls of others."""

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi


def exchange() -> float:
    """Return the simulated time at which a rank has polled, after both ranks have computed for the same time.

    The large message from rank 1 to rank 0 ends the wait of rank 0 and the send of rank 1 at the same time. Rank 1 then
    waits for a message that it has received already.
    """
    world = MPI.COMM_WORLD
    large, small = np.zeros(2_000_000, np.int8), np.zeros(20_000, np.int8)
    world.Barrier()
    if world.rank == 0:
        pysmpi.execute(2e-4)
        request = world.Irecv(large, 1)
        world.Send(small, 1)
        request.Wait()
    elif world.rank == 1:
        request = world.Irecv(small, 0)
        world.Send(large, 0)
        request.Wait()
    if world.rank < 2:
        pysmpi.execute(3e-3)
        for _ in range(4):
            world.Iprobe(2, 9)
    return MPI.Wtime()


@pytest.mark.smpi
def test_poll_after_a_wait_for_a_complete_request() -> None:
    result = pysmpi.simulate(exchange, np=3, platform="flat:3:speed=1Gf", cfg={"smpi/simulate-computation": "no"})
    first, second, _ = result.values
    assert second - first == pytest.approx(3e-4, abs=1e-6)  # as under smpirun 3.32
