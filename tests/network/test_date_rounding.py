"""Rounded dates of messages while more than 1,000 move (precision/rounding)."""

import random
from typing import Any

import numpy as np
import pytest

import pysmpi

QUIET = {"smpi/simulate-computation": False, "smpi/wtime": 0}


def exchange(size: int, seconds: float) -> float:
    """Exchange `size` bytes among all ranks, which start at different times; return the time of the rank's end."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    pysmpi.sleep(random.Random(world.rank).random() * seconds)
    sent, received = np.zeros(size * world.size, "b"), np.zeros(size * world.size, "b")
    requests = [world.Irecv(received[size * i : size * (i + 1)], i) for i in range(world.size)]
    for step in range(world.size):
        peer = (world.rank + step) % world.size
        requests.append(world.Isend(sent[size * peer : size * (peer + 1)], peer))
        pysmpi.sleep(1e-9 * (world.rank + 1))
    MPI.Request.Waitall(requests)
    return MPI.Wtime()


def run(ranks: int, precision: float | None, **options: Any) -> pysmpi.Result:
    cfg = QUIET | ({} if precision is None else {"precision/rounding": precision})
    return pysmpi.simulate(
        exchange,
        np=ranks,
        platform=f"fattree:2/{ranks // 2},2/1,2/1,1",
        args=(50_000, 3e-5),
        smpi=False,
        cfg=cfg,
        **options,
    )


def test_ends_keep_to_the_precision_and_solves_are_fewer() -> None:
    exact, default, coarse = (run(64, precision) for precision in (0, None, 0.05))
    assert default.simulated_time == pytest.approx(exact.simulated_time, rel=0.001)
    assert coarse.simulated_time == pytest.approx(exact.simulated_time, rel=0.01)
    np.testing.assert_allclose(default.values, exact.values, rtol=0.004)
    assert default.counters.solves < 0.65 * exact.counters.solves
    assert coarse.counters.flows_touched < default.counters.flows_touched < exact.counters.flows_touched


def test_dates_of_few_messages_are_exact() -> None:
    exact, default = (run(24, precision) for precision in (0, None))
    assert default.values == exact.values


def test_observers_change_no_more_than_the_precision() -> None:
    """Observed flows are in no groups, and groups do not round the ends of their flows."""
    unseen, seen = run(40, 0.01), run(40, 0.01, profile=True)
    np.testing.assert_allclose(seen.values, unseen.values, rtol=0.01)
    assert seen.simulated_time == pytest.approx(unseen.simulated_time, rel=0.002)


def test_without_exact_sharing_nothing_is_rounded() -> None:
    rounded, exact = (
        pysmpi.simulate(
            exchange,
            np=40,
            platform="flat:40",
            args=(50_000, 3e-5),
            cfg=QUIET | {"network/optim": "Lazy", "precision/rounding": precision},
            smpi=False,
        )
        for precision in (0.01, 0)
    )
    assert rounded.values == exact.values
