"""Messages longer than a core's cache arrive complete, at any alignment."""

import numpy as np
import pytest
from mpi4py import MPI

from pysmpi import simulate


@pytest.mark.parametrize("length", [(1 << 19) - 1, 1 << 19, (1 << 19) + 1, 1_000_003])
@pytest.mark.parametrize(("source", "target"), [(0, 0), (1, 0), (0, 63), (7, 33)])
def test_every_byte(length: int, source: int, target: int) -> None:
    """Each byte arrives at its position, and memory around the buffer stays unchanged."""

    def program() -> bool:
        world = MPI.COMM_WORLD
        data = np.random.default_rng(3).integers(0, 256, length + 64, np.uint8)
        if world.rank == 0:
            world.Send(data[source : source + length], 1)
            return True
        room = np.full(length + 128, 170, np.uint8)
        world.Recv(room[target : target + length], 0)
        around = np.concatenate([room[:target], room[target + length :]])
        return bool((room[target : target + length] == data[source : source + length]).all() and (around == 170).all())

    assert simulate(program, np=2, platform="flat:2").values == [True, True]
