"""Messages and receives match in MPI's order, including wildcards (MPI 4.1, section 3.5)."""

import pathlib
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import pysmpi

ANY = -1  # in the model; the program translates it to MPI.ANY_SOURCE and MPI.ANY_TAG

SENDERS, TAGS = 3, 2

PLATFORM = pathlib.Path(__file__).parents[2] / "platforms" / "cluster.xml"


@dataclass(frozen=True)
class Send:
    """A message and its time of sending."""

    time: int  # in units of ten milliseconds: far longer than any message takes
    source: int
    tag: int


@dataclass(frozen=True)
class Receive:
    """A receive and its time of posting; ANY for wildcards."""

    time: int
    source: int
    tag: int


def expected(sends: list[Send], receives: list[Receive]) -> list[int | None]:
    """Return the message that each receive gets, by a plain model: two lists in order of time."""
    waiting: list[int] = []
    posted: list[int] = []
    got: list[int | None] = [None] * len(receives)
    events = [(send.time, 0, index) for index, send in enumerate(sends)]
    events += [(receive.time, 1, index) for index, receive in enumerate(receives)]

    def fits(send: Send, receive: Receive) -> bool:
        return receive.source in (ANY, send.source) and receive.tag in (ANY, send.tag)

    for _time, kind, index in sorted(events):
        if kind == 0:
            match = next((r for r in posted if fits(sends[index], receives[r])), None)
            if match is None:
                waiting.append(index)
            else:
                posted.remove(match)
                got[match] = index
        else:
            match = next((s for s in waiting if fits(sends[s], receives[index])), None)
            if match is None:
                posted.append(index)
            else:
                waiting.remove(match)
                got[index] = match
    return got


def program(sends: list[Send], receives: list[Receive]) -> list[int | None] | None:
    """Receive in rank 0 and send in the others, each at its own times."""
    import time

    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    if comm.rank > 0:
        for index, send in enumerate(sends):
            if send.source == comm.rank:
                time.sleep(send.time * 0.01 - MPI.Wtime())
                comm.Send(np.array([index]), 0, send.tag)
        return None
    buffers = [np.array([-1]) for _ in receives]
    requests = []
    for buffer, receive in zip(buffers, receives, strict=True):
        time.sleep(receive.time * 0.01 - MPI.Wtime())
        source = MPI.ANY_SOURCE if receive.source == ANY else receive.source
        tag = MPI.ANY_TAG if receive.tag == ANY else receive.tag
        requests.append(comm.Irecv(buffer, source, tag))
    time.sleep(1.0)
    for request in requests:
        if not request.Test():
            request.Cancel()
            request.Wait()
    return [int(buffer[0]) if buffer[0] >= 0 else None for buffer in buffers]


@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_receives_get_the_messages_that_mpi_order_gives_them(data: st.DataObject) -> None:
    """Random sends and receives, exact and wildcard, early and late, are compared with a plain model."""
    count = data.draw(st.integers(1, 12))
    times = data.draw(st.permutations(range(1, count + 1)))
    sends, receives = [], []
    for time in times:
        if data.draw(st.booleans()):
            sends.append(Send(time, data.draw(st.integers(1, SENDERS)), data.draw(st.integers(0, TAGS - 1))))
        else:
            source = data.draw(st.sampled_from([ANY, *range(1, SENDERS + 1)]))
            receives.append(Receive(time, source, data.draw(st.sampled_from([ANY, *range(TAGS)]))))
    sends.sort(key=lambda send: send.time)
    receives.sort(key=lambda receive: receive.time)
    result = pysmpi.simulate(
        program,
        args=(sends, receives),
        np=SENDERS + 1,
        platform=PLATFORM,
        cfg={"smpi/simulate-computation": "no"},
    )
    assert result.values[0] == expected(sends, receives)


def from_anyone() -> list[tuple[int, int]]:
    """Return the (source, length) pairs that rank 0 receives when all messages wait already."""
    import time

    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    lengths = {1: (5000,), 2: (20,), 3: (4000, 30)}
    if comm.rank:
        time.sleep(0.1 * comm.rank)
        MPI.Request.Waitall([comm.Isend(np.zeros(length, np.uint8), 0, tag=7) for length in lengths[comm.rank]])
        return []
    time.sleep(1.0)
    got = []
    status = MPI.Status()
    for _ in range(4):
        comm.Recv(np.empty(5000, np.uint8), status=status)
        got.append((status.source, status.Get_count(MPI.BYTE)))
    return got


def test_eager_messages_come_before_those_of_other_senders() -> None:
    """A receive from anyone, as in SMPI, takes an eager message first, but messages of one sender keep their order."""
    cfg: dict[str, object] = {"smpi/simulate-computation": "no"}
    arrival = [(1, 5000), (2, 20), (3, 4000), (3, 30)]
    assert pysmpi.simulate(from_anyone, np=4, platform=PLATFORM, cfg=cfg).values[0] == arrival
    cfg["smpi/async-small-thresh"] = 1000
    eager_first = [(2, 20), (1, 5000), (3, 4000), (3, 30)]
    assert pysmpi.simulate(from_anyone, np=4, platform=PLATFORM, cfg=cfg).values[0] == eager_first


def several_calls_at_one_instant() -> list[int]:
    from mpi4py import MPI

    comm, status, sent, received = MPI.COMM_WORLD, MPI.Status(), np.zeros(1), np.empty(1)
    if comm.rank == 1:
        MPI.Request.Waitall([comm.Isend(sent, 2, 1), comm.Isend(sent, 0, 0)])
    if comm.rank == 2:
        MPI.Request.Waitall([comm.Isend(sent, 0, 0), comm.Irecv(received, 1, 1)])
    got = []
    for _ in range(0 if comm.rank else 2):
        comm.Recv(received, MPI.ANY_SOURCE, 0, status)
        got.append(status.source)
    return got


def test_ranks_make_one_call_each_in_turn_at_one_instant() -> None:
    """The first call of rank 2 comes before the second call of rank 1, although rank 1 runs first."""
    cfg = {"smpi/simulate-computation": "no"}
    assert pysmpi.simulate(several_calls_at_one_instant, np=3, platform=PLATFORM, cfg=cfg).values[0] == [2, 1]
