"""Computations on a host share its cores fairly; none is faster than a core."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="lab" routing="Full"><host id="node" speed="1Gf" core="{cores}"/></zone>
</platform>
"""
EXACT = {"smpi/simulate-computation": "no"}


def compute(starts: list[float], flops: list[float]) -> float:
    """Wait, compute, and return the end time."""
    from mpi4py import MPI

    rank = MPI.COMM_WORLD.rank
    pysmpi.sleep(starts[rank])
    pysmpi.execute_flops(flops[rank])
    return MPI.Wtime()


def expected(starts: list[float], flops: list[float], cores: int, speed: float) -> list[float]:
    """Return the end of each task by a plain model that steps from event to event."""
    left = list(flops)
    ends = [0.0] * len(starts)
    now = 0.0
    unfinished = set(range(len(starts)))
    while unfinished:
        active = [task for task in sorted(unfinished) if starts[task] <= now]
        rate = speed * min(1.0, cores / len(active)) if active else 0.0
        steps = [starts[task] - now for task in unfinished if starts[task] > now]
        steps += [left[task] / rate for task in active]
        step = min(steps)
        now += step
        for task in active:
            left[task] -= rate * step
            if left[task] <= 1e-3:
                ends[task] = now
                unfinished.discard(task)
    return ends


@given(tasks=st.lists(st.tuples(st.integers(0, 5), st.integers(1, 8)), min_size=1, max_size=9), cores=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_shares_are_fair(tmp_path_factory: pytest.TempPathFactory, tasks: list[tuple[int, int]], cores: int) -> None:
    """Random arrivals and amounts on one to three cores are compared with a plain model."""
    path = tmp_path_factory.mktemp("host") / "host.xml"
    path.write_text(PLATFORM.format(cores=cores))
    starts = [0.1 * start for start, _ in tasks]
    flops = [1e8 * amount for _, amount in tasks]
    result = pysmpi.simulate(
        compute, args=(starts, flops), np=len(tasks), platform=path, hosts=["node"] * len(tasks), cfg=EXACT
    )
    assert result.values == pytest.approx(expected(starts, flops, cores, 1e9), rel=1e-9)


def test_thousands_of_ranks_on_one_host(tmp_path: Path) -> None:
    """Ranks with equal computations end together."""
    path = tmp_path / "host.xml"
    path.write_text(PLATFORM.format(cores=1))
    ranks = 3000
    result = pysmpi.simulate(
        compute, args=([0.0] * ranks, [1e6] * ranks), np=ranks, platform=path, hosts=["node"] * ranks, cfg=EXACT
    )
    assert result.values == pytest.approx([ranks * 1e-3] * ranks, rel=1e-9)
