"""Tests of profiles: every second of a rank is counted once, at the right line, for the right reason."""

import json
import pathlib
import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments import Profile
from pysmpi.simulation.instruments.profile.categories import CATEGORIES

PARITY = pathlib.Path(__file__).parents[3] / "parity"
CASES = [json.loads(line) for line in (PARITY / "smpi.jsonl").read_text().splitlines()]
PLATFORM = Cluster(hosts=8, cores=2, speed="1Gf", bandwidth="1GBps", latency="10us")
FREE = {"smpi/simulate-computation": False}
OVERHEADS = {
    **FREE,
    "smpi/os": "0:5e-6:1e-10",
    "smpi/ois": "0:3e-6:0",
    "smpi/or": "0:4e-6:0",
    "smpi/async-small-thresh": 4096,
}


def _profile_of(program, np=2, cfg=FREE, **settings) -> Profile:
    profile = pysmpi.simulate(program, np=np, platform=PLATFORM, cfg=cfg, profile=True, **settings).profile
    assert profile is not None
    return profile


def _assert_adds_up(profile: Profile) -> None:
    """Check that each rank's seconds add up to its time, and the critical path to that of the last rank."""
    length = max(float(profile.ended.max()), 1e-300)
    assert np.abs(profile.seconds.sum(axis=1) - (profile.ended - profile.begun)).max() <= 1e-9 * length
    assert abs(sum(step.total for step in profile.critical_path) - profile.ended.max()) <= 1e-9 * length
    assert profile.seconds.min(initial=0.0) >= 0.0
    assert np.allclose(sum(np.array(place.seconds) for place in profile.places), profile.seconds.sum(axis=0))


def _of(profile: Profile, category: str, rank: int) -> float:
    return float(profile.seconds[rank, CATEGORIES.index(category)])


@pytest.mark.parametrize("case", CASES[5::131], ids=lambda case: f"{case['op']}-{case['id']}")
def test_times_add_up_on_the_reference_patterns(case, capsys) -> None:
    """Categories add up to the end of each rank on reference patterns, without a remainder in "other"."""
    platform = PARITY / "platforms" / f"{case['platform']}.xml"
    result = pysmpi.simulate(
        PARITY / "pattern.py",
        np=case["np"],
        platform=platform,
        hosts=platform.with_suffix(".hosts"),
        cfg=["smpi/simulate-computation:no", *case["cfg"]],
        args=[case["op"], case["size"], case["iters"], case["seed"]],
        profile=True,
    )
    _assert_adds_up(result.profile)
    assert result.profile.ended.max() == result.simulated_time
    assert result.profile.shares.get("other", 0.0) < 1e-9


def anything(steps, seed):
    """Run steps of many kinds, equal on all ranks except for the length of computation."""
    comm = MPI.COMM_WORLD
    rank, size = comm.rank, comm.size
    own = random.Random(seed * 1000 + rank)
    right, left = (rank + 1) % size, (rank - 1) % size
    for kind, count in steps:
        out, into = np.zeros(count), np.zeros(count)
        if kind == "execute":
            pysmpi.execute(own.random() * 1e-3)
        elif kind == "sleep":
            pysmpi.sleep(own.random() * 1e-3)
        elif kind == "sendrecv":
            comm.Sendrecv(out, right, recvbuf=into, source=left)
        elif kind == "requests":
            MPI.Request.Waitall([comm.Irecv(into, left), comm.Isend(out, right)])
        elif kind == "any":
            requests = [comm.Irecv(into, left), comm.Issend(out, right)]
            while any(requests):
                MPI.Request.Waitany(requests)
        elif kind == "probe":
            request = comm.Isend(out, right)
            while not comm.Iprobe(left):
                pass
            comm.Recv(into, left)
            request.Wait()
        elif kind == "test":
            requests = [comm.Irecv(into, left), comm.Isend(out, right)]
            while not MPI.Request.Testall(requests):
                pass
        elif kind == "allreduce":
            comm.Allreduce(out, into)
        elif kind == "ibcast":
            request = comm.Ibcast(out, 0)
            pysmpi.execute(own.random() * 1e-4)
            request.Wait()
        elif kind == "pickled":
            comm.gather([rank] * count)
        elif kind == "clock":
            MPI.Wtime()


KINDS = ("execute", "sleep", "sendrecv", "requests", "any", "probe", "test", "allreduce", "ibcast", "pickled", "clock")


@settings(max_examples=25, deadline=None, database=None)
@given(
    steps=st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([0, 1, 700, 20_000])), max_size=8),
    ranks=st.integers(1, 9),
    overheads=st.booleans(),
    seed=st.integers(0, 9),
)
def test_times_add_up_whatever_ranks_do(steps, ranks, overheads, seed) -> None:
    """Categories add up to each rank's end, and the critical path to the run's, for any sequence of calls."""
    profile = _profile_of(anything, np=ranks, cfg=OVERHEADS if overheads else FREE, args=(steps, seed))
    _assert_adds_up(profile)


def test_a_profile_changes_no_time() -> None:
    steps = [(kind, 700) for kind in KINDS]
    plain = pysmpi.simulate(anything, np=5, platform=PLATFORM, cfg=OVERHEADS, args=(steps, 1))
    assert plain.profile is None
    profiled = pysmpi.simulate(
        anything,
        np=5,
        platform=PLATFORM,
        cfg=OVERHEADS,
        args=(steps, 1),
        profile=True,
        network_report=True,
    )
    assert profiled.simulated_time == plain.simulated_time
    # An observer sees the rank between any two waits of a call, so the ranks are switched to more often.
    assert replace(profiled.counters, switches=plain.counters.switches) == plain.counters


def test_a_wait_is_divided_where_the_sender_has_sent() -> None:
    """The receiver waits for its peer until the message is sent, then for the network; the sender does not wait."""

    def program():
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            pysmpi.execute(0.5)
            comm.Send(np.zeros(1000), 1)
        else:
            pysmpi.execute(0.1)
            comm.Recv(np.zeros(1000), 0)
        return pysmpi.is_simulated() and MPI.Wtime()

    profile = _profile_of(program, cfg={**FREE, "smpi/wtime": 0})
    assert _of(profile, "injected", 0) == pytest.approx(0.5)
    assert _of(profile, "waiting for peers", 1) == pytest.approx(0.4)
    overhead = _of(profile, "receive overhead", 1)
    assert _of(profile, "waiting for the network", 1) == pytest.approx(profile.ended[1] - profile.ended[0] - overhead)
    assert profile.caused.tolist() == pytest.approx([0.4, 0.0])
    (wait,) = profile.peer_waits
    assert (wait.what, wait.waiting_rank, wait.awaited_rank, wait.count) == ("receive", 1, 0, 1)
    line = anything.__code__.co_filename
    assert wait.place.startswith(line) and wait.awaited.startswith(line) and wait.place != wait.awaited
    computed = {step.place: step.seconds[0] for step in profile.critical_path}
    assert computed[wait.awaited] == pytest.approx(0.5)  # rank 0's computation led to the end, rank 1's did not
    assert sum(computed.values()) == pytest.approx(0.5)


def test_a_rendezvous_sender_waits_for_its_receiver() -> None:
    """The sender of a long message waits for its peer until the receive is posted."""

    def program():
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            comm.Send(np.zeros(100_000), 1)
        else:
            pysmpi.execute(0.25)
            comm.Recv(np.zeros(100_000), 0)

    profile = _profile_of(program)
    assert _of(profile, "waiting for peers", 0) == pytest.approx(0.25)
    assert _of(profile, "waiting for peers", 1) == 0.0
    assert [wait.what for wait in profile.peer_waits] == ["send"]
    (link,) = profile.link_waits[:1]
    assert link.waiting_rank in (0, 1)


def test_who_polls_waits_for_its_peer() -> None:
    def program():
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            pysmpi.execute(0.3)
            comm.Send(np.zeros(10), 1)
        else:
            while not comm.Iprobe(0):
                pass
            comm.Recv(np.zeros(10), 0)

    profile = _profile_of(program)
    assert _of(profile, "waiting for peers", 1) == pytest.approx(0.3, rel=1e-2)
    assert _of(profile, "polling", 1) < 0.02
    assert sum(step.seconds[0] for step in profile.critical_path) == pytest.approx(0.3)
    _assert_adds_up(profile)


def test_who_computes_between_two_polls_waits_for_nobody() -> None:
    def program():
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            pysmpi.execute(0.9)
            comm.Send(np.zeros(10), 1)
        else:
            comm.Iprobe(0)
            pysmpi.execute(1.0)
            while not comm.Iprobe(0):
                pass
            comm.Recv(np.zeros(10), 0)

    profile = _profile_of(program)
    assert profile.caused[0] < 0.001
    assert sum(step.seconds[0] for step in profile.critical_path) == pytest.approx(1.0)
    assert profile.by_rank["seconds"].min() >= 0.0
    _assert_adds_up(profile)


def test_a_collective_names_the_rank_that_comes_late() -> None:
    """All waits in a collective are for the rank that comes last, whatever the shape of the tree."""

    def program():
        if MPI.COMM_WORLD.rank == 5:
            pysmpi.execute(1.0)
        MPI.COMM_WORLD.Barrier()

    profile = _profile_of(program, np=8)
    assert profile.caused[5] == pytest.approx(7.0, rel=1e-3)
    assert profile.caused.sum() == pytest.approx(7.0, rel=1e-3)
    assert {wait.what for wait in profile.peer_waits} == {"collective"}
    assert sum(step.seconds[0] for step in profile.critical_path) == pytest.approx(1.0)


def test_computation_is_told_by_its_source() -> None:
    def program():
        for _ in range(4):
            for _ in pysmpi.sample(20, count=3):
                sum(range(20_000))
            sum(range(20_000))
            pysmpi.execute(0.01)
            pysmpi.sleep(0.02)
            MPI.COMM_WORLD.Barrier()

    result = pysmpi.simulate(program, np=3, platform=PLATFORM, profile=True)
    totals = dict(
        zip(("measured", "sampled", "modelled", "injected", "asleep"), result.profile.seconds.sum(axis=0), strict=False)
    )
    for name, seconds in totals.items():
        assert seconds == pytest.approx(getattr(result.time_spent, name), rel=1e-9, abs=1e-15), name
    assert totals["measured"] > 0 and totals["sampled"] > 0
    _assert_adds_up(result.profile)


def test_places_have_calls_messages_and_bytes() -> None:
    def program():
        comm = MPI.COMM_WORLD
        for _ in range(3):
            comm.Sendrecv(np.zeros(50), (comm.rank + 1) % comm.size, recvbuf=np.zeros(50))

    profile = _profile_of(program, np=4)
    (place,) = (place for place in profile.places if place.calls)
    assert (place.ranks, place.calls, place.messages, place.bytes) == (4, 12, 12, 12 * 400)
    assert place.place.rpartition(":")[0] == __file__


def test_ranks_that_are_spawned_or_never_call() -> None:
    """Spawned ranks start when they are spawned, and a rank that only computes has its time, too."""

    def program():
        pysmpi.execute(0.5)

    profile = _profile_of(program, np=1)
    assert _of(profile, "injected", 0) == pytest.approx(0.5)
    assert [(step.place, step.total) for step in profile.critical_path] == [("", 0.5)]
    assert _profile_of(lambda: None, np=1).shares == {}


def test_the_time_of_a_failed_run_adds_up_too() -> None:
    def program():
        if MPI.COMM_WORLD.rank == 1:
            pysmpi.execute(0.5)
            MPI.COMM_WORLD.Send(np.zeros(1), 0)
            raise ValueError
        MPI.COMM_WORLD.Recv(np.zeros(1), 1)
        MPI.COMM_WORLD.Recv(np.zeros(1), 1)

    from pysmpi.simulation.launch.job import Job
    from pysmpi.simulation.launch.machine_setup import configured_machine
    from pysmpi.simulation.launch.program import FunctionProgram
    from pysmpi.simulation.launch.run import run
    from pysmpi.simulation.settings.run_options import RunOptions

    machine, configuration = configured_machine(PLATFORM, FREE)
    result = run(
        Job(
            machine,
            [0, 1],
            [FunctionProgram(program)],
            [0, 0],
            configuration,
            RunOptions(instruments={"profile": True}),
        )
    ).result
    assert result.profile is not None
    _assert_adds_up(result.profile)


def test_memory_that_ranks_share_is_modelled_computation() -> None:
    def program() -> None:
        values = pysmpi.folded_empty(10**6)
        for _ in range(5):
            values += 1.0

    sharing = {"smpi/memory-sharing": "yes", "smpi/host-memory-bandwidth": "1e9", "smpi/memory-bandwidth": "1e9"}
    profile = _profile_of(program, cfg=FREE | sharing, hosts=["node-0", "node-0"])
    _assert_adds_up(profile)
    of = dict(zip(CATEGORIES, profile.seconds.sum(axis=0), strict=True))
    assert of["modelled"] > 0.99 * sum(of.values()) > 0
