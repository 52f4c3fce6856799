"""Messages under IB, CM02 and Constant against SMPI 3.32 (make_simgrid_messages.py)."""

import json
import pathlib
import runpy
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.platform import Platform, read

pytestmark = pytest.mark.smpi

HERE = pathlib.Path(__file__).parent
CASES = [json.loads(line) for line in (HERE / "simgrid_messages.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def platforms(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Platform]:
    """Platforms of the reference, by name."""
    folder = tmp_path_factory.mktemp("platforms")
    made = {}
    for name, text in runpy.run_path(str(HERE / "make_simgrid_messages.py"))["PLATFORMS"].items():
        path = folder / f"{name}.xml"
        path.write_text(f"<?xml version='1.0'?>\n<platform version='4.1'>{text}</platform>\n")
        made[name] = read(path)
    return made


def exchange(messages: list[tuple[int, int, int, int]]) -> dict[int, float]:
    """Do what simgrid_messages.c does, and return when each message to this rank is complete."""
    import time

    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    numbers = [i for i, message in enumerate(messages) if message[1] == comm.rank]
    receives = [comm.Irecv(np.empty(messages[i][2], np.uint8), messages[i][0], i) for i in numbers]
    sends = []
    for i, (source, destination, size, wait) in enumerate(messages):
        if source == comm.rank:
            if wait > 0:
                time.sleep(wait * 1e-6)
            sends.append(comm.Isend(np.zeros(size, np.uint8), destination, i))
    complete = {}
    for _ in receives:
        index = MPI.Request.Waitany(receives)
        complete[numbers[index]] = MPI.Wtime()
    MPI.Request.Waitall(sends)
    return complete


def times_of(platforms: dict[str, Platform], case: dict[str, Any]) -> list[float]:
    result = pysmpi.simulate(
        exchange,
        args=(case["messages"],),
        np=16,
        hosts=[f"n{i}" for i in range(16)],
        platform=platforms[case["platform"]],
        cfg=[*case["settings"], "smpi/simulate-computation:no"],
    )
    times = {number: time for of_rank in result.values for number, time in of_rank.items()}
    return [times[i] for i in range(len(case["times"]))]


@pytest.mark.parametrize("case", CASES, ids=[f"{case['platform']} {case['pattern']}" for case in CASES])
def test_messages_take_as_long_as_in_simgrid(platforms: dict[str, Platform], case: dict[str, Any]) -> None:
    """Pairs, incast, outcast, alltoall and random patterns.

    For messages that arrive at one instant, MPI_Waitany's order is not always SimGrid's, and each read of the clock
    takes 1e-8 s.
    """
    times = times_of(platforms, case)
    for rank in range(16):
        numbers = [number for number, message in enumerate(case["messages"]) if message[1] == rank]
        expected = sorted(case["times"][number] for number in numbers)
        assert sorted(times[number] for number in numbers) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("case", [case for case in CASES if case["pattern"] == "incast"][:1])
def test_waitany_tells_of_the_first_to_arrive(platforms: dict[str, Platform], case: dict[str, Any]) -> None:
    assert times_of(platforms, case) == pytest.approx(case["times"], rel=1e-9)
