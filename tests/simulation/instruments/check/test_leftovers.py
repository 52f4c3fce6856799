"""Tests of reports on leftovers of programs by --check."""

import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

import pysmpi

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def left(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> Callable[..., list[str]]:
    """Return the report on a script run by several ranks."""

    def run(source: str, np: int = 3, **settings: Any) -> list[str]:
        script = tmp_path / "program.py"
        script.write_text("from mpi4py import MPI\nworld = MPI.COMM_WORLD\nrank = world.rank\n" + source)
        result = pysmpi.simulate(script, np=np, platform=platform_file, check=True, **settings)
        return [str(finding).replace(str(script), "program.py") for finding in result.findings]

    return run


def test_messages_that_nobody_receives(left: Callable[..., list[str]]) -> None:
    lines = left(
        "if rank == 0:\n"
        "    world.Send(bytearray(100), 1, 7)\n"
        "    world.Send(bytearray(0), 2, 8)\n"
        "    MPI.COMM_SELF.send(None, 0)\n"
        "    world.Send(bytearray(9), 2, 9)\n"
        "if rank == 2:\n"
        "    world.Recv(bytearray(9), 0, 9)\n"
        "world.Barrier()\n"
    )
    size = len(__import__("pickle").dumps(None))
    sent = "unreceived-message: rank 0 has sent a message at program.py"
    lost = "that nobody received: to"
    assert lines == [
        f"{sent}:5 {lost} rank 1, tag 7, 100 bytes, on MPI_COMM_WORLD",
        f"{sent}:6 {lost} rank 2, tag 8, 0 bytes, on MPI_COMM_WORLD",
        f"{sent}:7 {lost} rank 0, tag 0, {size} bytes, on MPI_COMM_SELF",
    ]


def test_requests_that_nobody_completes(left: Callable[..., list[str]]) -> None:
    lines = left(
        "other, box = 1 - rank, bytearray(1)\n"
        "world.Isend(bytearray(1), other, 1)\n"
        "world.Recv(box, other, 1)\n"
        "world.Irecv(box, other, 2)\n"
        "world.Ibarrier()\n"
        "world.Send_init(box, other).Free()\n"
        "world.Send_init(box, other)\n"
        "MPI.Grequest.Start(None, None, None)\n"
        "MPI.Request.Waitall([world.Isend(bytearray(1), other, 3), world.Irecv(bytearray(1), other, 3)])\n",
        np=2,
    )
    assert sorted(lines) == [
        "unfinished-request: ranks 0-1 have never completed the request of MPI_Grequest_start at program.py:11",
        "unfinished-request: ranks 0-1 have never completed the request of MPI_Ibarrier at program.py:8",
        "unfinished-request: ranks 0-1 have never completed the request of MPI_Irecv at program.py:7",
        "unfinished-request: ranks 0-1 have never completed the request of MPI_Isend at program.py:5",
        "unfinished-request: ranks 0-1 have never completed the request of MPI_Send_init at program.py:10",
    ]


MAKERS = {
    "communicator": "world.Dup()",
    "group": "world.Get_group()",
    "datatype": "MPI.INT.Create_vector(2, 1, 3)",
    "operation": "MPI.Op.Create(lambda *_: None)",
    "window": "MPI.Win.Allocate(8, comm=world)",
    "file": "MPI.File.Open(world, {path!r}, MPI.MODE_CREATE | MPI.MODE_RDWR)",
    "info object": "MPI.Info.Create()",
    "session": "MPI.Session.Init()",
}


@pytest.mark.parametrize("kind", MAKERS)
def test_objects_that_nobody_frees(left: Callable[..., list[str]], tmp_path: pathlib.Path, kind: str) -> None:
    make = MAKERS[kind].format(path=str(tmp_path / "data"))
    free = {"file": "Close", "session": "Finalize"}.get(kind, "Free")
    lines = left(f"for i in range(2):\n    made = {make}\nif rank == 1:\n    pass\n")
    kinds = {"file": "unclosed-file", "session": "unfinalized-session", "info object": "unfreed-info"}
    verb = {"file": "closed", "session": "finalized"}.get(kind, "freed")
    article = "an" if kind[0] in "oi" else "a"
    name = kinds.get(kind, f"unfreed-{kind}")
    assert lines == [f"{name}: ranks 0-2 have never {verb} {article} {kind} made at program.py:5 (6 in all)"]
    assert left(f"made = {make}\nmade.{free}()\n") == []


def test_what_the_library_makes_for_itself_is_not_told(left: Callable[..., list[str]], tmp_path: pathlib.Path) -> None:
    source = f"""
import numpy as np
part = world.Split(rank % 2)
part.allgather([part.bcast("x", root=0)])
buffer = np.ones(1000)
part.Iallreduce(MPI.IN_PLACE, buffer).Wait()
part.Disconnect()
win = MPI.Win.Allocate(8, comm=world)
win.Lock_all()
win.Put(np.ones(1), (rank + 1) % world.size)
win.Unlock_all()
win.Free()
file = MPI.File.Open(world, {str(tmp_path / "data")!r}, MPI.MODE_CREATE | MPI.MODE_WRONLY)
file.Write_at_all(rank, b"x")
file.Close()
"""
    assert left(source) == []


def test_the_exit_status_of_a_check(pysmpirun: Command) -> None:
    """The status is 1 for leftovers, the program's own status if that is not 0, and unaffected in a stopped run."""
    source = """
        import sys
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if sys.argv[1] == "send" and world.rank == 0:
            world.Send(bytearray(3), 1)
        if sys.argv[1] == "exit":
            world.Dup()
            sys.exit(4)
        if sys.argv[1] == "abort":
            world.Abort(0)
    """
    runs = {
        word: pysmpirun("-np", "2", "--quiet", "--check", "program.py", word, source=source)
        for word in ("nothing", "send", "exit", "abort")
    }
    assert {word: run.returncode for word, run in runs.items()} == {"nothing": 0, "send": 1, "exit": 4, "abort": 0}
    assert runs["send"].stderr == (
        "pysmpirun: unreceived-message: rank 0 has sent a message at program.py:6 that nobody received: "
        "to rank 1, tag 0, 3 bytes, on MPI_COMM_WORLD\n"
    )
    assert runs["exit"].stderr.startswith("pysmpirun: unfreed-communicator: ranks 0-1 have never")
    assert "never" not in runs["abort"].stderr


def test_what_mpi4py_keeps_for_itself_is_not_told(left: Callable[..., list[str]]) -> None:
    assert left("world.scan(rank)\nother = world.Dup()\nother.exscan(rank)\nother.Free()\n") == []


def test_ranks_that_fail_leave_nothing_behind(left: Callable[..., list[str]]) -> None:
    lines = left(
        "import os, signal, time\n"
        "world.Dup()\n"
        "if rank == 1:\n"
        "    world.Irecv(bytearray(1), 0, 9)\n"
        "    time.sleep(1)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "if rank == 0:\n"
        "    world.Send(bytearray(1), 1)\n"
        "    world.Send(bytearray(1), 2)\n"
    )
    assert lines == [
        "unreceived-message: rank 0 has sent a message at program.py:12 that nobody received: to rank 2, tag 0, "
        "1 byte, on MPI_COMM_WORLD",
        "unfreed-communicator: ranks 0, 2 have never freed a communicator made at program.py:5",
    ]
