"""Tests of overviews: the time of a profile by interval."""

import pathlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments import Overview, Profile
from pysmpi.simulation.instruments.profile.categories import COMPUTATION
from pysmpi.simulation.instruments.timeline.overview import STATES

PLATFORM = Cluster(hosts=8, cores=128, speed="1Gf", bandwidth="1GBps", latency="10us")
FREE = {"smpi/simulate-computation": False}


def _profile_of(program, np) -> Profile:
    profile = pysmpi.simulate(program, np=np, platform=PLATFORM, cfg=FREE, profile=True).profile
    assert profile is not None
    return profile


def _assert_is_of(overview: Overview, profile: Profile) -> None:
    """Check that rows are sums over their ranks' time in each state, and that no interval exceeds its length."""
    states = np.column_stack([profile.computation, profile.seconds[:, COMPUTATION.stop :]])
    expected = np.add.reduceat(states, np.arange(0, len(states), overview.ranks_per_row), axis=0)
    length = float(profile.ended.max())
    assert overview.seconds.shape[0] <= 256
    assert overview.seconds.shape[1] <= 256
    assert overview.seconds.shape[1] * overview.interval >= length
    assert np.abs(overview.seconds.sum(axis=1) - expected).max(initial=0.0) <= 1e-9 * length * overview.ranks_per_row
    most = overview.interval * overview.ranks_per_row
    assert overview.seconds.sum(axis=2).max(initial=0.0) <= most * (1 + 1e-9)


@settings(deadline=None, max_examples=20)
@given(
    st.integers(1, 5),
    st.lists(st.tuples(st.sampled_from(["compute", "sleep", "ring", "barrier"]), st.floats(0.0, 1.0)), max_size=8),
    st.sampled_from([1e-8, 1e-3, 1e4]),
)
def test_intervals_add_up_to_the_profile(ranks: int, steps: list[tuple[str, float]], unit: float) -> None:
    def program() -> None:
        comm = MPI.COMM_WORLD
        for what, amount in steps:
            if what == "compute":
                pysmpi.execute(amount * unit * (1 + comm.rank))
            elif what == "sleep":
                pysmpi.sleep(amount * unit)
            elif what == "ring":
                comm.sendrecv(b"x" * int(amount * 1e5), (comm.rank + 1) % comm.size)
            else:
                comm.Barrier()

    profile = _profile_of(program, ranks)
    assert profile.overview.ranks_per_row == 1
    _assert_is_of(profile.overview, profile)


def test_time_lies_where_it_passed() -> None:
    def program() -> None:
        pysmpi.execute(0.1)
        if MPI.COMM_WORLD.rank == 0:
            pysmpi.sleep(0.1)

    overview = _profile_of(program, 2).overview
    begun = np.arange(overview.seconds.shape[1]) * overview.interval
    ended = begun + overview.interval
    computes, sleeps = (overview.seconds[:, :, STATES.index(state)] for state in ("computation", "asleep"))
    assert 128 < len(begun) <= 256
    assert computes[:, ended < 0.0999].min() == pytest.approx(overview.interval)
    assert not computes[:, begun > 0.1001].any()
    assert sleeps[0, (begun > 0.1001) & (ended < 0.1999)].min() == pytest.approx(overview.interval)
    assert not sleeps[0, ended < 0.0999].any()
    assert not overview.seconds[1, begun > 0.1001].any()


def test_many_ranks_share_rows(tmp_path: pathlib.Path) -> None:
    child = tmp_path / "child.py"
    child.write_text("from mpi4py import MPI\nMPI.Comm.Get_parent().Barrier()\n")

    def program() -> None:
        world = MPI.COMM_WORLD
        pysmpi.execute(1e-3 * (1 + world.rank % 7))
        world.Spawn(child, maxprocs=260).Barrier()

    profile = _profile_of(program, 255)
    overview = profile.overview
    assert (overview.ranks, overview.ranks_per_row, len(overview.seconds)) == (515, 4, 129)
    _assert_is_of(overview, profile)


def test_no_time_has_no_intervals() -> None:
    overview = _profile_of(lambda: None, 3).overview
    assert overview.seconds.shape == (3, 0, len(STATES))
