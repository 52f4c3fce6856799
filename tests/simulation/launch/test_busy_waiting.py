"""Programs that wait busily: time passes in them, and endless waiting is reported."""

import subprocess
from collections.abc import Callable

import pytest

Lines = Callable[..., dict[int, list[str]]]
Command = Callable[..., subprocess.CompletedProcess[str]]

POLLS = {
    "Iprobe": "while not comm.Iprobe(source=0): polls += 1",
    "Improbe": "while comm.Improbe(source=0) is None: polls += 1",
    "Test": "while not first.Test(): polls += 1",
    "Testany": "while MPI.Request.Testany(both)[0] == MPI.UNDEFINED: polls += 1",
    "Testall": "while not MPI.Request.Testall(both): polls += 1",
    "Testsome": "while not MPI.Request.Testsome(both): polls += 1",
    "Get_status": "while not first.Get_status(): polls += 1",
}
POLLING = """
    import time
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    polls = 0
    if comm.rank == 0:
        time.sleep(1)
        comm.Send(bytearray(8), 1, 0)
        comm.Send(bytearray(8), 1, 1)
    else:
        probes = "probe" in {loop!r}
        both = [] if probes else [comm.Irecv(bytearray(8), 0, tag) for tag in range(2)]
        first = None if probes else both[0]
        {loop}
        print(polls, 1 <= MPI.Wtime() < 1.02)
"""


@pytest.mark.parametrize("call", POLLS)
@pytest.mark.parametrize("cost", ["1e-4", "0"])
def test_a_loop_of_polls_ends(lines_of: Lines, call: str, cost: str) -> None:
    """A loop on each polling function, with no other call, sees time pass, also where polls take none."""
    cfg = {
        "smpi/simulate-computation": False,
        "smpi/iprobe": cost,
        "smpi/test": cost,
        "smpi/grow-injected-times": False,
    }
    lines = lines_of(POLLING.format(loop=POLLS[call]), np=2, cfg=cfg)
    polls, at_the_message = lines[1][0].split()
    assert at_the_message == "True"
    looks = 2 if call in {"Testall", "Testsome"} else 1
    if cost == "0":
        assert int(polls) <= 100_100
    else:
        assert abs(int(polls) - 10_000 // looks) <= 10


@pytest.mark.parametrize(
    ("clock", "cost"),
    [
        ("MPI.Wtime", "1e-6"),
        ("time.time", "1e-4"),
        ("time.perf_counter", "1e-4"),
        ("time.monotonic", "1e-4"),
        ("time.process_time", "1e-4"),
    ],
)
def test_a_loop_on_a_clock_ends(lines_of: Lines, clock: str, cost: str) -> None:
    """Waiting busily for a time takes that time, and readings that grow in number with its logarithm only."""
    source = f"""
        import time
        from mpi4py import MPI
        begin, reads = {clock}(), 0
        while {clock}() < begin + 10:
            reads += 1
        print(10 <= MPI.Wtime() - begin < 10.001, reads < 4_000_000)
    """
    assert lines_of(source, np=1, cfg={"smpi/simulate-computation": False, "smpi/wtime": cost})[0] == ["True True"]


def test_readings_of_a_clock_take_what_is_set(lines_of: Lines) -> None:
    """A program that times each of many pieces of itself is not taken for one that waits."""
    source = """
        from mpi4py import MPI
        import pysmpi
        for _ in range(1000):
            for _ in range(1000):
                MPI.Wtime()
            pysmpi.sleep(1e-3)
        print(f"{MPI.Wtime():.4f}")
        for _ in range(900_000):
            last = MPI.Wtime()
        print(f"{last:.4f}")
    """
    assert lines_of(source, np=1) == {0: ["1.0100", "1.0190"]}


@pytest.mark.parametrize("nothing", ["time.sleep(0)", "os.sched_yield()"])
def test_a_loop_on_a_flag_of_another_thread(lines_of: Lines, nothing: str) -> None:
    """Sleeping for no time lets the other threads of this instant go on, and in the end waits for later ones."""
    source = f"""
        import os, threading, time
        from mpi4py import MPI
        said = []
        def say(seconds):
            if seconds: time.sleep(seconds)
            said.append(seconds)
        turns = []
        for seconds in (0, 1):
            thread = threading.Thread(target=say, args=(seconds,))
            thread.start()
            turns.append(0)
            while seconds not in said:
                {nothing}
                turns[-1] += 1
        print(turns[0] <= 1, turns[1] < 101_000, round(MPI.Wtime(), 3))
    """
    assert lines_of(source, np=1) == {0: ["True True 1.0"]}


@pytest.mark.parametrize(
    "look", ["win.Sync()", "win.Flush(1)", "win.Flush_all()", "win.Flush_local(1)", "win.Get(copy, 1); win.Flush(1)"]
)
def test_a_loop_on_the_memory_of_a_window(lines_of: Lines, look: str) -> None:
    """A rank that looks whether another has put something into its memory sees that it has, and when."""
    source = f"""
        import numpy as np
        from mpi4py import MPI
        import pysmpi
        comm = MPI.COMM_WORLD
        win = MPI.Win.Allocate(8, 1, comm=comm)
        memory, copy = np.frombuffer(win, "q"), np.zeros(1, "q")
        memory[0] = 0
        comm.Barrier()
        win.Lock_all()
        if comm.rank == 0:
            pysmpi.sleep(0.01)
            win.Put(np.array([7]), 1)
            win.Flush(1)
        else:
            while memory[0] == 0:
                {look}
            print(memory[0], f"{{MPI.Wtime():.3f}}")
        win.Unlock_all()
        win.Free()
    """
    assert lines_of(source, np=2)[1] == ["7 0.010"]


@pytest.mark.parametrize("cost", ["1e-4", "0"])
def test_polls_that_may_go_on_for_ever_are_told(pysmpirun: Command, cost: str) -> None:
    """Ranks that poll while nothing else is under way are named, with their lines; the program goes on."""
    source = """
        from mpi4py import MPI
        comm = MPI.COMM_WORLD
        polls = 0
        if comm.rank == 0:
            while not comm.Iprobe() and polls < 2_500_000: polls += 1
            comm.Send(b"", 1)
        elif comm.rank == 1:
            comm.Recv(bytearray(0))
    """
    settings = (f"--cfg=smpi/iprobe:{cost}", "--cfg=smpi/simulate-computation:no", "--cfg=smpi/grow-injected-times:no")
    run = pysmpirun("-np", "3", "--quiet", *settings, "program.py", source=source)
    assert run.returncode == 0
    lines = run.stderr.splitlines()
    assert lines[0].startswith("pysmpi: the program may wait forever: at ")
    assert lines[0].endswith(
        " s two million polls were unsuccessful and no event is pending; 2 ranks have not ended; 1 other has ended"
    )
    assert lines[1:] == [
        "  rank 0 (node0): MPI_Iprobe, at program.py:6",
        "  rank 1 (node0): MPI_Recv on MPI_COMM_WORLD from any source, tag any, up to 0 bytes, at program.py:9",
    ]


def test_polls_beside_a_rank_that_computes_are_not_told(pysmpirun: Command) -> None:
    source = """
        from mpi4py import MPI
        import pysmpi
        comm = MPI.COMM_WORLD
        if comm.rank == 0:
            while not comm.Iprobe(): pass
        else:
            pysmpi.execute(210.0)
            comm.Send(b"", 0)
    """
    settings = ("--cfg=smpi/simulate-computation:no", "--cfg=smpi/grow-injected-times:no")
    run = pysmpirun("-np", "2", "--quiet", *settings, "program.py", source=source)
    assert (run.returncode, run.stderr) == (0, "")
