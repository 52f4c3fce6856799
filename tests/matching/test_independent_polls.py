"""Polls of ranks that do not concern each other: they repeat without events, and take as long as a loop of Iprobe."""

import os
import pathlib
import signal
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi
from pysmpi.errors import DeadlockError

POLL = 1e-4  # seconds
INDEPENDENT = {
    "smpi/simulate-computation": False,
    "smpi/wtime": 0,
    "network/optim": "Full",
    "smpi/grow-injected-times": False,
    "smpi/iprobe": POLL,
}
WAYS = ("schedule", "probe", "calls")


def look(way: str, source: int, tag: int) -> None:
    """Wait for a message by polls."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if way == "schedule":
        schedule = pysmpi.Schedule(comm)
        schedule.poll(source, tag)
        schedule.run()
    elif way == "probe":
        comm.Probe(source, tag)
    else:
        while not comm.Iprobe(source, tag):
            pass


def polled_by_many(way: str) -> list[float] | None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        for turn in range(3):
            pysmpi.execute(0.03)
            for dest in range(1, comm.size):
                pysmpi.sleep(0.001 * dest)
                comm.Send(np.ones(turn), (dest * 3) % comm.size, turn)
        return None
    data, looks = np.zeros(3), []
    for turn in range(3):
        look(way, 0, MPI.ANY_TAG if comm.rank == 2 else turn)
        looks.append(MPI.Wtime())
        comm.Recv(data, 0, turn)
    return looks


@pytest.mark.parametrize("cores", [1, 3])
@pytest.mark.parametrize("nodes", [range(7), [0, 1, 2, 0, 1, 2, 0], [0] * 7], ids=["apart", "together", "on one host"])
def test_a_wait_takes_as_long_as_its_polls(nodes: Sequence[int], cores: int) -> None:
    """Hundreds of polls, on separate and shared hosts, need no events of their own, and are counted."""
    hosts = [f"node-{node}" for node in nodes]
    handed_over, probed, by_calls = (
        pysmpi.simulate(
            polled_by_many, np=7, platform=f"flat:7:cores={cores}", hosts=hosts, cfg=INDEPENDENT, args=(way,)
        )
        for way in WAYS
    )
    polls = by_calls.counters.failed_probes
    assert polls > 1000
    for result in (handed_over, probed):
        for rank in range(1, 7):
            assert result.values[rank] == pytest.approx(by_calls.values[rank], abs=1e-7)
        assert abs(result.counters.failed_probes - polls) <= 0.01 * polls
        assert result.counters.events < 200


Step = tuple[str, float]


def act(steps: Sequence[Step], way: str) -> list[float]:
    """Execute rank 0's steps, which end with a message to each other rank; the others poll for it."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank > 0:
        look(way, 0, 0)
        return [MPI.Wtime()]
    for kind, amount in steps:
        if kind == "compute":
            pysmpi.execute_flops(amount * 10e9)
        elif kind == "sleep":
            pysmpi.sleep(amount)
        else:
            pysmpi.host().pstate = round(amount * 10) % 2
    times = []
    for dest in range(1, comm.size):
        times.append(MPI.Wtime())
        comm.Send(np.zeros(1), dest)
    return times


STEPS = st.lists(st.tuples(st.sampled_from(["compute", "sleep", "pstate"]), st.floats(1e-5, 0.1)), max_size=5)


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[int, str]:
    """Write a platform for each number of cores: one host with two performance states and their power."""
    folder = tmp_path_factory.mktemp("machines")
    files = {}
    for cores in range(1, 6):
        file = folder / f"{cores}.xml"
        file.write_text(f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1" core="{cores}" speed="10Gf,4Gf" bw="1GBps" lat="1us"
           loopback_bw="1GBps" loopback_lat="1us">
    <prop id="wattage_per_state" value="90.0:105.0:180.0,80.0:90.0:120.0"/>
  </cluster>
</platform>
""")
        files[cores] = str(file)
    return files


@settings(max_examples=60, deadline=None)
@given(STEPS, st.integers(2, 6), st.integers(1, 5))
def test_polls_follow_the_speed_of_their_host(
    machines: dict[int, str], steps: list[Step], ranks: int, cores: int
) -> None:
    """Whatever shares the host's cores, or changes its speed, a wait takes as long as polls by calls, and as much
    energy.
    """
    results = [
        pysmpi.simulate(
            act,
            np=ranks,
            platform=machines[cores],
            hosts=["n0"] * ranks,
            cfg={**INDEPENDENT, "plugin": "host_energy"},
            args=(steps, way),
        )
        for way in WAYS
    ]
    a_poll = 2 * POLL * max(1.0, ranks / cores) * 2.5
    joules = [each.energy.total for each in results if each.energy]
    for result, used in zip(results[:2], joules, strict=False):
        assert np.concatenate(result.values) == pytest.approx(np.concatenate(results[2].values), abs=a_poll)
        assert used == pytest.approx(joules[2], abs=2 * 180 * a_poll)


def test_polls_follow_a_profile_of_speeds(tmp_path: pathlib.Path) -> None:
    """A host that is slower for a time makes its polls longer, and so the wait's end."""
    (tmp_path / "speeds").write_text("0.0105 0.3\n0.0405 1.0\n")
    file = tmp_path / "platform.xml"
    file.write_text("""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="n0" speed="1Gf"/>
    <host id="n1" speed="1Gf" speed_file="speeds"/>
    <link id="l" bandwidth="1GBps" latency="1us"/>
    <route src="n0" dst="n1"><link_ctn id="l"/></route>
  </zone>
</platform>
""")
    times = [
        pysmpi.simulate(act, np=2, platform=file, cfg=INDEPENDENT, args=([("sleep", 0.03985)], way)).values[1][0]
        for way in WAYS
    ]
    assert times[:2] == pytest.approx([times[2]] * 2, abs=1e-7)
    assert times[0] > 0.03985 + POLL


def in_vain(way: str) -> None:
    from mpi4py import MPI

    look(way, (MPI.COMM_WORLD.rank + 1) % MPI.COMM_WORLD.size, 7)


@pytest.mark.parametrize(
    ("way", "waits"),
    [("schedule", r"pysmpi\.Schedule\.run on MPI_COMM_WORLD, waiting for rank 1"), ("probe", "MPI_Probe .*rank 1")],
)
def test_polls_in_vain_are_a_deadlock(way: str, waits: str) -> None:
    with pytest.raises(DeadlockError, match=f"rank 0 .*{waits}"):
        pysmpi.simulate(in_vain, np=4, platform="flat:4", cfg=INDEPENDENT, args=(way,))


def polls_for_the_dead(way: str) -> tuple[int, float] | None:
    """Poll in rank 0 for rank 1, which dies after a second, while rank 2 goes on."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        try:
            look(way, 1, 0)
        except MPI.Exception as error:
            return error.Get_error_class(), MPI.Wtime()
    elif comm.rank == 1:
        pysmpi.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)
        comm.Barrier()
    else:
        pysmpi.execute(100)
    return None


@pytest.mark.parametrize("way", ["schedule", "probe"])
def test_a_poll_for_a_dead_rank_ends(way: str) -> None:
    result = pysmpi.simulate(polls_for_the_dead, np=3, platform="flat:3", cfg=INDEPENDENT, args=(way,))
    assert result.values[0] == (101, pytest.approx(1.0, abs=2 * POLL))


def die_while_polling(way: str) -> float | None:
    """Kill this process after a second of unsuccessful polls. A neighbour on the same core computes for two seconds."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
        look(way, 1, 0)
        return None
    pysmpi.execute(2.0)
    return MPI.Wtime()


@pytest.mark.parametrize("way", WAYS)
def test_a_dead_rank_polls_no_longer(way: str) -> None:
    """Until its end the polling rank has half of the core."""
    result = pysmpi.simulate(
        die_while_polling, np=2, platform="flat:1", hosts=["node-0"] * 2, cfg=INDEPENDENT, args=(way,)
    )
    assert result.values[1] == pytest.approx(2.5, abs=4 * POLL)


def wait_long(way: str) -> tuple[float, float] | None:
    """Wait by calls for a message, or for a request, for a thousand seconds."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        pysmpi.sleep(1000)
        comm.Send(np.zeros(1), 1)
        return None
    request = comm.Irecv(np.zeros(1), 0) if way == "Test" else None
    polls = 0
    while not (request.Test() if request else comm.Iprobe(0)):
        polls += 1
    return polls, MPI.Wtime()


@pytest.mark.parametrize("way", ["Test", "Iprobe"])
def test_long_waits_by_calls_take_few_polls(way: str) -> None:
    """Polls lengthen so slowly that the end of the wait is noticed within 0.01 % of its length."""
    cfg = {**INDEPENDENT, "smpi/test": POLL}
    polls, time = pysmpi.simulate(wait_long, np=2, platform="flat:2", cfg=cfg, args=(way,)).values[1]
    assert polls < 100_000
    assert 1000 <= time < 1000.1


def test_a_replayed_receive_of_unknown_length_polls(tmp_path: pathlib.Path) -> None:
    """The polls of a trace take no events, and end with the first one after the message was sent."""
    actions = ["0 init", "1 init", "0 compute 1e10", "0 send 1 0 8", "1 recv 0 0 -1", "0 finalize", "1 finalize"]
    (tmp_path / "trace").write_text("\n".join(actions) + "\n")
    cfg = {**INDEPENDENT, "smpi/simulate-computation": True}
    result = pysmpi.simulate_replay(tmp_path / "trace", np=2, platform="flat:2:speed=1Gf", cfg=cfg)
    assert result.simulated_time == pytest.approx(10.0, abs=2 * POLL)
    assert result.counters.failed_probes == pytest.approx(10 / POLL, abs=2)
    assert result.counters.events < 20


def find_at_no_cost(way: str) -> float | None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank == 0:
        pysmpi.sleep(0.5)
        comm.Send(np.zeros(1), 1)
        return None
    if way == "look":
        schedule = pysmpi.Schedule(comm)
        schedule.look(0)
        while not schedule.run():
            pass
    else:
        look(way, 0, 0)
    return MPI.Wtime()


@pytest.mark.parametrize("way", [*WAYS, "look"])
def test_polls_without_cost_find_messages_of_the_same_instant(way: str) -> None:
    """Polls that take no time do not end in a later instant, so they find those of this one."""
    cfg = {**INDEPENDENT, "smpi/iprobe": 0}
    time = pysmpi.simulate(find_at_no_cost, np=2, platform="flat:2", cfg=cfg, args=(way,)).values[1]
    assert time == pytest.approx(0.5, abs=1e-5)


def probe_while_sends_are_cancelled() -> tuple[float, float] | None:
    """Probe in rank 0 while rank 1 cancels sends, and in between only moves data in its host's memory."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    data, folded = np.zeros(1 << 20), pysmpi.folded_empty(1 << 24)
    if comm.rank == 0:
        comm.Probe(1, 0)
        time = MPI.Wtime()
        comm.Recv(data, 1, 0)
        return time, comm.recv(source=1)
    for _ in range(8):
        folded += 1.0
        request = comm.Isend(data, 0, 0)
        request.Cancel()
        request.Wait()
    folded += 1.0
    time = MPI.Wtime()
    comm.Send(data, 0, 0)
    comm.send(time, 0)
    return None


def test_a_probe_that_no_longer_polls_finds_its_message() -> None:
    """A probe stops polling if nothing but polls seems to be under way; the send wakes it in its instant."""
    cfg = {**INDEPENDENT, "smpi/memory-sharing": True, "smpi/host-memory-bandwidth": 1e9, "smpi/memory-bandwidth": 1e9}
    found, sent = pysmpi.simulate(probe_while_sends_are_cancelled, np=2, platform="flat:2", cfg=cfg).values[0]
    assert found == pytest.approx(sent, abs=2 * POLL)
