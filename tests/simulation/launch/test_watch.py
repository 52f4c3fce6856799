"""Reports on where ranks are, while a simulation runs."""

import io
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.platform import Cluster
from pysmpi.simulation.launch import watch

Command = Callable[..., subprocess.CompletedProcess[str]]

LOOP = """\
import time
from mpi4py import MPI
comm = MPI.COMM_WORLD
comm.Barrier()
if comm.rank == 2:
    time.sleep(1)  # until all others wait
    print("begun", flush=True)
    while True:
        pass
elif comm.rank == 1:
    comm.recv(source=2, tag=5)
comm.Barrier()
"""
WAITING = [
    "  rank 0 (node0): MPI_Barrier on MPI_COMM_WORLD, waiting for rank 1, at program.py:12",
    "  rank 1 (node0): comm.recv on MPI_COMM_WORLD from rank 2, tag 5, at program.py:11",
    "  rank 3 (node0): MPI_Barrier on MPI_COMM_WORLD, waiting for rank 1, at program.py:12",
]


_SIGNALS = ((signal.SIGUSR1, "SIGUSR1: at"), (signal.SIGUSR1, "SIGUSR1: at"), (signal.SIGINT, "interrupted at"))


def _check_report(why: str, lines: list[str]) -> None:
    lasting = r"computes for (less than a second|\d+ s), at program.py:[789]"
    assert re.fullmatch(rf"pysmpi: {why} \S+ s of simulated time rank 2 \(node0\) {lasting}", lines[0]), lines
    assert [re.sub("waiting for rank .", "waiting for rank 1", line) for line in lines[1:]] == WAITING


def test_transcript_of_signals(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """SIGUSR1 and Ctrl-C report which rank computes where, and what the others wait for."""
    (tmp_path / "program.py").write_text(LOOP)
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "4", "--quiet", "--cfg=smpi/simulate-computation:no"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [*command, "--platform", str(platform_file), "program.py"],
        cwd=tmp_path, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        try:
            assert process.stdout.readline() == "begun\n"
            for number, why in _SIGNALS:
                process.send_signal(number)
                _check_report(why, [process.stderr.readline().rstrip("\n") for _ in range(4)])
            assert process.stderr.read() == "pysmpirun: interrupted\n"
        finally:
            process.kill()
    assert process.returncode == 130


def test_transcript_of_a_wrong_tag(pysmpirun: Command) -> None:
    source = """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            comm.recv(source=MPI.ANY_SOURCE, tag=99)
        elif comm.rank == 2:
            comm.send("x", dest=0, tag=98)
        comm.Barrier()
        """
    run = pysmpirun("-np", "3", "--quiet", "--cfg=smpi/simulate-computation:no", "program.py", source=source)
    assert run.returncode == 1
    assert run.stderr.splitlines()[1:] == [
        "  rank 0 (node0): comm.recv on MPI_COMM_WORLD from any source, tag 99, at program.py:5",
        "  rank 1 (node0): MPI_Barrier on MPI_COMM_WORLD, waiting for rank 0, at program.py:8",
        "  rank 2 (node0): MPI_Barrier on MPI_COMM_WORLD, waiting for rank 0, at program.py:8",
        "unreceived: rank 2 -> 0, tag 98, 16 bytes on MPI_COMM_WORLD; rank 0 wanted tag 99",
    ]


class Stream(io.StringIO):
    """Stream that releases a rank when it is written to."""

    def __init__(self) -> None:
        super().__init__()
        self.reported = False

    def flush(self) -> None:
        self.reported = True


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let a report be due after two looks."""
    monkeypatch.setattr(watch, "_PAUSE", 0.02)
    monkeypatch.setattr(watch, "_PATIENCE", 0.03)
    return monkeypatch


def test_a_run_without_progress(impatient: pytest.MonkeyPatch) -> None:
    stream = Stream()
    impatient.setattr(sys, "stderr", stream)

    def program() -> None:
        if MPI.COMM_WORLD.rank == 1:
            while not stream.reported:
                pass
        MPI.COMM_WORLD.Barrier()

    pysmpi.simulate(program, np=2, platform=Cluster(2), cfg={"smpi/simulate-computation": "no"})
    assert re.match(
        r"pysmpi: no simulated progress for 0 s: (at \S+ s of simulated time rank 1 \(node-1\) computes|rank 1 is)",
        stream.getvalue(),
    )
    assert re.search(r"test_watch\.py:\d+$", stream.getvalue().splitlines()[0])


@pytest.mark.parametrize(("share", "hint"), [(float("inf"), True), (-1.0, False)])
def test_a_call_outside_python(impatient: pytest.MonkeyPatch, share: float, hint: bool) -> None:
    """The thread reports a rank that Python cannot interrupt, and what it may wait for if it does not compute."""
    impatient.setattr(watch, "_WAITING", share)
    out, entry = os.pipe()

    class Freeing(Stream):
        def flush(self) -> None:
            os.write(entry, b"x")

    stream = Freeing()
    impatient.setattr(sys, "stderr", stream)
    read = os.read  # the simulation's own lets other ranks run

    def program() -> None:
        read(out, 1)
        MPI.COMM_WORLD.Barrier()

    pysmpi.simulate(program, np=1, platform=Cluster(1), cfg={"smpi/simulate-computation": "no"})
    os.close(out)
    os.close(entry)
    line = stream.getvalue().splitlines()[0]
    assert re.match(
        r"pysmpi: no simulated progress for 0 s: rank 0 is in a call outside Python, at \S+test_watch", line
    )
    assert ("waits for ever, because all ranks share one thread" in line) == hint


def test_ranks_see_the_default_handler() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    result = pysmpi.simulate(lambda: signal.getsignal(signal.SIGUSR1), np=1, platform=Cluster(1))
    assert result.values == [before] == [signal.getsignal(signal.SIGUSR1)]


def test_no_thread_of_the_program() -> None:
    assert pysmpi.simulate(threading.active_count, np=1, platform=Cluster(1)).values == [threading.active_count()]


@pytest.mark.skipif(not pathlib.Path("/proc/self/task").is_dir(), reason="the system does not list threads")
def test_the_thread_ends_before_a_fork_and_starts_again() -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    def program() -> list[int]:
        numbers = [threads()]
        for step in (watch._pause_all, watch._after_fork):
            step()
            numbers.append(threads())
        return numbers

    time.sleep(0.1)  # the system may still be ending the thread of an earlier simulation
    before = threads()
    result = pysmpi.simulate(program, np=1, platform=Cluster(1))
    assert result.values == [[before + 1, before, before + 1]]
    assert not watch._watches


def test_a_program_that_forks_is_not_warned(pysmpirun: Command) -> None:
    """From CPython 3.12 on, a process with several threads is warned when it forks."""
    source = """
        import os, warnings
        warnings.simplefilter("always")
        from mpi4py import MPI
        for _ in range(3):
            child = os.fork()
            if child == 0:
                os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        MPI.COMM_WORLD.Barrier()
        print("forked", flush=True)
    """
    done = pysmpirun("-np", "2", "--quiet", "program.py", source=source)
    assert (done.returncode, done.stdout.split()) == (0, ["forked", "forked"]), done.stderr
    assert "multi-threaded" not in done.stderr


def test_fork_is_the_systems_again_after_a_simulation() -> None:
    before = os.fork

    def program() -> bool:
        return os.fork is before

    assert pysmpi.simulate(program, np=1, platform=Cluster(1)).values == [False]
    assert os.fork is before
