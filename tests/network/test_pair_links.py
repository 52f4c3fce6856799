"""Bandwidth that large messages of a pair of ranks in opposite directions share."""

import numpy as np
import pytest

from pysmpi import simulate

SIZE = 4 << 20
SHARED = {"fabric/opposite-bandwidth": "0:2;1048576:1.1"}


def seconds(pattern: str, size: int, cfg: dict[str, object]) -> float:
    def program() -> float:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        out, into = np.zeros(size, dtype=np.int8), np.zeros(size, dtype=np.int8)
        world.Barrier()
        begun = MPI.Wtime()
        if pattern == "exchange":
            world.Sendrecv(out, world.rank ^ 1, recvbuf=into, source=world.rank ^ 1)
        else:
            world.Sendrecv(out, (world.rank + 1) % world.size, recvbuf=into, source=(world.rank - 1) % world.size)
        return MPI.Wtime() - begun

    cfg = {"smpi/simulate-computation": "no", "fabric": "neutral"} | cfg
    return max(simulate(program, np=4, platform="flat:4", cfg=cfg).values)


def test_an_exchange_of_large_messages_shares_little_more_than_one_direction() -> None:
    alone, both = seconds("exchange", SIZE, {}), seconds("exchange", SIZE, SHARED)
    assert both / alone == pytest.approx(2 / 1.1, rel=0.01)


def test_small_messages_and_rings_share_nothing() -> None:
    assert seconds("exchange", 1 << 20, SHARED) == pytest.approx(seconds("exchange", 1 << 20, {}), rel=1e-9)
    assert seconds("ring", SIZE, SHARED) == pytest.approx(seconds("ring", SIZE, {}), rel=1e-9)


@pytest.mark.parametrize("kind", ["send", "isend", "sendrecv"])
def test_exchanges_have_further_latency(kind: str) -> None:
    def program() -> float:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        data = np.zeros(SIZE, dtype=np.int8)
        if kind == "sendrecv":
            world.Sendrecv(data, 1 - world.rank, recvbuf=np.empty_like(data), source=1 - world.rank)
        elif world.rank == 1:
            world.Recv(data, 0)
        elif kind == "send":
            world.Send(data, 1)
        else:
            world.Isend(data, 1).Wait()
        return MPI.Wtime()

    times = [
        max(simulate(program, np=2, platform="flat:2", cfg={"smpi/simulate-computation": "no", **more}).values)
        for more in ({"fabric/exchange-latency": "0:0:0"}, {"fabric/exchange-latency": "65536:1e-3:0"})
    ]
    assert times[1] - times[0] == pytest.approx(1e-3 if kind == "sendrecv" else 0.0, abs=1e-12)
