"""Settings without effect, and time that the speed of hosts does not change."""

from collections.abc import Callable

from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster


def idle() -> None:
    """Compute a declared time only."""
    pysmpi.execute(1.0)


def moving() -> None:
    pysmpi.folded_empty(1_000_000).sum()


def moving_declared_bytes() -> None:
    pysmpi.execute_flops(1.0, memory_bytes=1e9)


def result_of(program: Callable[[], None], ranks: int = 1, **cfg: str) -> pysmpi.Result:
    return pysmpi.simulate(program, np=ranks, platform=Cluster(ranks), cfg={"smpi/simulate-computation": "no", **cfg})


def test_settings_without_effect_are_named() -> None:
    unused = result_of(idle, **{"smpi/host-speed": "2Gf", "smpi/memory-bandwidth": "1e10"}).without_effect
    assert unused == [
        "--cfg=smpi/host-speed:2Gf: no computation was measured",
        "--cfg=smpi/memory-bandwidth:1e10: the program used no folded array",
    ]
    for program in (moving, moving_declared_bytes):
        assert result_of(program, **{"smpi/memory-bandwidth": "1e10"}).without_effect == []


def gathering() -> None:
    MPI.COMM_WORLD.gather(MPI.COMM_WORLD.rank)
    MPI.COMM_WORLD.Ibarrier().Wait()


def test_algorithms_that_no_call_used_are_named() -> None:
    chosen = {"smpi/bcast": "binomial_tree", "smpi/barrier": "ompi_tree", "smpi/coll-selector": "mpich"}
    unused = "--cfg=smpi/bcast:binomial_tree: no MPI_Bcast on several ranks was called"
    assert result_of(gathering, ranks=2, **chosen).without_effect == [unused]
    assert result_of(idle, ranks=2, **chosen).without_effect == [
        "--cfg=smpi/barrier:ompi_tree: no MPI_Barrier on several ranks was called",
        unused,
        "--cfg=smpi/coll-selector:mpich: no collective on several ranks was called",
    ]


def test_time_that_no_speed_changes() -> None:
    assert "100% of the ranks' time is seconds of pysmpi.execute" in result_of(idle).unscaled
    for program in (moving, moving_declared_bytes):
        assert "of the ranks' time is memory traffic" in result_of(program).unscaled
    assert result_of(lambda: pysmpi.execute(1.0, speed=2e9)).unscaled == ""


def test_seconds_with_a_speed_scale_with_the_host() -> None:
    times = [
        pysmpi.simulate(
            lambda: pysmpi.execute(1.0, speed=2e9), np=1, platform=Cluster(1, speed=speed),
            cfg={"smpi/simulate-computation": "no"},
        ).simulated_time
        for speed in (1e9, 4e9)
    ]  # fmt: skip
    assert times == [2.0, 0.5]
