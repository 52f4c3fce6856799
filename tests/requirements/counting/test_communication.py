"""Requirements of communication: bytes and messages by rank and kind, against what the program does."""

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.requirements.counting import Requirements

APPS = Path(__file__).parents[3] / "apps"
PLATFORM = Cluster(hosts=8, cores=1)
FREE = {"smpi/simulate-computation": "no"}


def needs_of(program, np=4, platform=PLATFORM, cfg=(), **more) -> Requirements:
    result = pysmpi.simulate(program, np=np, platform=platform, cfg={**FREE, **dict(cfg)}, requirements=True, **more)
    found = result.requirements
    assert found is not None
    assert found.sum["sent.bytes"] == found.sum["received.bytes"] == result.counters.bytes
    assert found.sum["sent.messages"] == found.sum["received.messages"] == result.counters.messages
    return found


def amounts(found: Requirements, kind: str) -> dict[str, list[int]]:
    return {name: array.tolist() for name, array in found.kinds[kind].by_rank.items() if array.any()}


def test_messages_count_at_both_ends():
    """A large message waits for its receive, a small one does not, and one to the rank itself counts too."""

    def program():
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            comm.Send(np.zeros(10**6, np.uint8), 1)
            comm.Isend(np.zeros(10, np.uint8), 3).Wait()
            comm.Send(np.zeros(5, np.uint8), MPI.PROC_NULL)
        elif comm.rank in {1, 3}:
            comm.Recv(np.zeros(10**6, np.uint8), 0)
        else:
            request = comm.Isend(np.zeros(7, np.uint8), 2)
            comm.Recv(np.zeros(7, np.uint8), 2)
            request.Wait()

    assert amounts(needs_of(program), "point-to-point") == {
        "sent.bytes": [10**6 + 10, 0, 7, 0],
        "sent.messages": [2, 0, 1, 0],
        "received.bytes": [0, 10**6, 7, 10],
        "received.messages": [0, 1, 1, 1],
    }


def test_a_collective_is_asked_once_and_becomes_messages():
    """Recursive doubling on four ranks: two messages of the whole buffer from each."""

    def program():
        MPI.COMM_WORLD.Allreduce(np.zeros(4), np.zeros(4))

    found = needs_of(program, cfg={"smpi/allreduce": "rdb"})
    assert list(found.kinds) == ["Allreduce"]
    assert amounts(found, "Allreduce") == {
        "sent.bytes": [64] * 4,
        "sent.messages": [2] * 4,
        "received.bytes": [64] * 4,
        "received.messages": [2] * 4,
        "asked.bytes": [32] * 4,
    }
    assert found.mean["asked.bytes"] == 32
    assert found.max == {name: array.max() for name, array in found.by_rank.items()}


CALLS = {
    "Allgather": (lambda comm: comm.Allgather(np.zeros(3), np.zeros(12)), [24] * 4),
    "Alltoall": (lambda comm: comm.Alltoall(np.zeros(12), np.zeros(12)), [96] * 4),
    "Bcast": (lambda comm: comm.Bcast(np.zeros(5)), [40] * 4),
    "Barrier": (lambda comm: comm.Barrier(), [0] * 4),
    "Scatter": (lambda comm: comm.Scatter(np.zeros(8), np.zeros(2)), [64, 16, 16, 16]),
    "Gatherv": (
        lambda comm: comm.Gatherv(np.zeros(comm.rank), (np.zeros(6), [0, 1, 2, 3]) if comm.rank == 0 else None),
        [0, 8, 16, 24],
    ),
    "Reduce_scatter_block": (lambda comm: comm.Reduce_scatter_block(np.zeros(8), np.zeros(2)), [64] * 4),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_collectives_are_asked_for(name):
    call, asked = CALLS[name]
    found = needs_of(lambda: call(MPI.COMM_WORLD))
    assert found.kinds[name].by_rank["asked.bytes"].tolist() == asked


def test_in_place_data_count_as_contributed():
    def program():
        comm = MPI.COMM_WORLD
        comm.Allgather(MPI.IN_PLACE, np.zeros(12))
        comm.Alltoall(MPI.IN_PLACE, np.zeros(12))

    found = needs_of(program)
    assert found.kinds["Allgather"].by_rank["asked.bytes"].tolist() == [24] * 4
    assert found.kinds["Alltoall"].by_rank["asked.bytes"].tolist() == [96] * 4


def test_nonblocking_and_persistent_calls_count_as_the_collective():
    def program():
        comm = MPI.COMM_WORLD
        sent, received = np.zeros(1), np.zeros(1)
        comm.Iallreduce(sent, received).Wait()
        again = comm.Allreduce_init(sent, received)
        for _ in range(2):
            again.Start()
            again.Wait()
        again.Free()

    found = needs_of(program)
    assert list(found.kinds) == ["Allreduce"]
    assert found.kinds["Allreduce"].by_rank["asked.bytes"].tolist() == [24] * 4


def test_one_sided_messages_and_files_have_kinds_of_their_own(tmp_path):
    def program():
        comm = MPI.COMM_WORLD
        window = MPI.Win.Allocate(80, comm=comm)
        window.Fence()
        put = np.zeros(10)
        if comm.rank == 1:
            window.Put(put, 2)
        window.Fence()
        window.Free()
        file = MPI.File.Open(comm, str(tmp_path / "data"), MPI.MODE_CREATE | MPI.MODE_RDWR)
        file.Write_at(comm.rank * 16, np.zeros(2))
        file.Close()

    found = needs_of(program)
    sent = found.kinds["one-sided"].by_rank
    assert sent["sent.bytes"].tolist() == [0, 80, 0, 0]
    assert sent["received.bytes"].tolist() == [0, 0, 80, 0]
    assert amounts(found, "files") == {"sent.bytes": [16] * 4, "sent.messages": [1] * 4}
    assert {kind for kind in found.kinds if kind.startswith("Win")} == {"Win_allocate", "Win_fence", "Win_free"}


def test_a_schedule_of_the_program_is_a_kind():
    def program():
        comm = MPI.COMM_WORLD
        schedule = pysmpi.Schedule(comm)
        if comm.rank == 0:
            schedule.send(np.zeros(100, np.uint8), 1)
        elif comm.rank == 1:
            schedule.receive(np.zeros(100, np.uint8), 0)
        schedule.run()

    found = needs_of(program)
    assert found.kinds["schedule"].by_rank["sent.bytes"].tolist() == [100, 0, 0, 0]


def test_times_do_not_change():
    def run(requirements):
        return pysmpi.simulate(
            APPS / "jacobi/jacobi.py",
            np=4,
            platform="flat:4",
            args=(200, 3),
            cfg=FREE,
            requirements=requirements,
        )

    without, counted = run(False), run(True)
    assert without.requirements is None
    assert counted.simulated_time == without.simulated_time
    # a rank under observation takes each step of a call in its greenlet
    assert dataclasses.replace(counted.counters, switches=without.counters.switches) == without.counters


def test_jacobi_from_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["-np", "16", "--platform", "flat:16", "--cfg=smpi/simulate-computation:no", "--requirements", "needs.json"]
    run = subprocess.run(
        [sys.executable, "-m", "pysmpi.cli.run", *words, str(APPS / "jacobi/jacobi.py"), "400", "10"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    needs = json.loads((tmp_path / "needs.json").read_text())
    assert needs["ranks"] == 16
    rims = needs["kinds"]["point-to-point"]
    assert rims["mean"]["sent.bytes"] == 320 * 100 - 320 * 100 / 4  # four rims of 100 points in ten sweeps
    assert rims["mean"]["sent.messages"] == 40 - 40 / 4
    assert needs["mean"]["sent.bytes"] == sum(needs["by_rank"]["sent.bytes"]) / 16
    assert set(needs["kinds"]) == {"Allreduce", "Barrier", "Cart_create", "point-to-point"}
    assert "requirements of 16 ranks" in run.stderr
    assert "24,000" in run.stderr


def test_the_program_is_not_taken_for_the_file(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("pass\n")
    run = subprocess.run(
        [sys.executable, "-m", "pysmpi.cli.run", "-np", "1", "--platform", "flat:1", "--requirements", str(script)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode != 0
    assert "refusing to overwrite" in run.stderr


def test_the_algorithms_of_a_selector_are_named():
    def program():
        MPI.COMM_WORLD.Allreduce(np.zeros(2), np.zeros(2))
        MPI.COMM_WORLD.Barrier()

    def chosen(cfg=()):
        return needs_of(program, mpi="openmpi-4.1", cfg=cfg).to_json()["algorithms"]

    assert chosen() == {"Allreduce": ["openmpi_rdb"], "Barrier": ["ompi_basic_linear"]}
    assert chosen({"smpi/allreduce": "lr"}) == {"Barrier": ["ompi_basic_linear"]}


def test_a_program_of_mpi4py_without_a_change(tmp_path):
    """The ring test passes a message of 25 bytes round the ring."""
    path = tmp_path / "needs.json"
    words = [
        "-np",
        "4",
        "--platform",
        "flat:4",
        "--requirements",
        str(path),
        "-m",
        "mpi4py.bench",
        "ringtest",
        "-n",
        "25",
    ]
    subprocess.run([sys.executable, "-m", "pysmpi.cli.run", *words], capture_output=True, check=True)
    sent = json.loads(path.read_text())["kinds"]["point-to-point"]["sum"]
    assert sent["sent.bytes"] == sent["received.bytes"] == 25 * sent["sent.messages"] > 0
