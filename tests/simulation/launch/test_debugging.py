"""Debugging: stopping at a time, pdb in ranks, files of ranks' output."""

import os
import pathlib
import subprocess
import sys
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
FREE = ("--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0")

STEPS = """\
import sys, time
import pysmpi
from mpi4py import MPI
world = MPI.COMM_WORLD
if world.rank == 3:
    sys.exit()
for step in range(4):
    pysmpi.execute(1.0 + world.rank)
    MPI.Wtime()
    world.Send(bytearray(8), 1) if world.rank == 0 else world.Recv(bytearray(8), 0) if world.rank == 1 else None
pysmpi.execute(0)
print("end of", world.rank)
"""


@pytest.mark.smpi
def test_the_run_stops_at_a_time_and_says_where_everybody_is(pysmpirun: Command) -> None:
    """Without anybody at the terminal the run ends there, with what each rank waits for and its line."""
    run = pysmpirun("-np", "5", *FREE, "--break-at", "2500ms", "program.py", source=STEPS)
    assert run.returncode == 1 and "end of" not in run.stdout
    lines = [line.strip() for line in run.stderr.splitlines()]
    assert any(
        line.startswith("pysmpirun: stopped at 3 s, before rank 0 continues; 1 rank has ended") for line in lines
    )
    assert any("rank 1 (node0): computation, at program.py:9" in line for line in lines)
    assert not any("rank 3 (" in line for line in lines)


def test_the_time_of_the_beginning_and_one_that_never_comes(pysmpirun: Command) -> None:
    run = pysmpirun("-np", "5", *FREE, "--break-at", "0", "program.py", source=STEPS)
    assert run.returncode == 1 and "ranks 0-4: not begun" in run.stderr and not run.stdout
    run = pysmpirun("-np", "5", *FREE, "--break-at", "1h", "program.py", source=STEPS)
    assert run.returncode == 0 and run.stdout.count("end of") == 4
    assert "--break-at: the run has ended before 3600 s" in run.stderr


@pytest.mark.smpi
def test_pdb_at_a_time(pysmpirun: Command) -> None:
    """pdb begins in the chosen rank as it goes on, with the clock at that time, and the run goes on to its end."""
    commands = "p MPI.COMM_WORLD.rank, step\np pysmpi.is_simulated()\nwhere\ncontinue\n"
    run = pysmpirun("-np", "5", *FREE, "--break-at", "2.5", "--pdb", "1", "program.py", source=STEPS, stdin=commands)
    assert run.returncode == 0 and run.stdout.count("end of") == 4, run.stderr
    assert "stopped at 4.00004032 s, before rank 1 continues" in run.stderr
    assert "(1, 1)" in run.stdout and "program.py(" in run.stdout


def test_pdb_at_the_beginning(pysmpirun: Command) -> None:
    """At time 0 it begins with the first line of the rank's program."""
    run = pysmpirun(
        "-np", "2", *FREE, "--break-at", "0", "--pdb", "1", "program.py", source="a = 1\nb = 2\nprint(a + b)\n",
        stdin="next\nnext\np 'a is', a\ncontinue\n",
    )  # fmt: skip
    assert run.returncode == 0 and "('a is', 1)" in run.stdout, run.stdout + run.stderr


BREAKPOINT = """\
import time
from mpi4py import MPI
world = MPI.COMM_WORLD
world.Barrier()
begun = MPI.Wtime()
other = world.rank * 10
breakpoint()
other += 1
world.Barrier()
if world.rank == 1:
    print(f"took {MPI.Wtime() - begun:.3f} s, {other}")
"""


def test_breakpoints_count_in_the_chosen_rank_and_time_stands_still(pysmpirun: Command) -> None:
    commands = "import time as t\np 'seen', other\n!import ctypes; ctypes.CDLL(None).usleep(500_000)\nnext\ncontinue\n"
    run = pysmpirun("-np", "3", "--pdb", "1", "program.py", source=BREAKPOINT, stdin=commands)
    assert run.returncode == 0, run.stderr
    assert "('seen', 10)" in run.stdout and run.stdout.count("(Pdb)") == 5
    (line,) = [line for line in run.stdout.splitlines() if "took" in line]
    assert float(line.split("took ")[1].split(" s")[0]) < 0.3 and line.endswith("11")


def test_breakpoints_of_all_ranks(pysmpirun: Command) -> None:
    """Without a chosen rank each stops in turn, and each prompt shows its own rank."""
    steps = 1 if sys.version_info < (3, 13) else 2  # since Python 3.13, pdb stops at breakpoint() and not after it
    commands = ("p world.rank\n" + "next\n" * steps + "p other\ncontinue\n") * 3
    run = pysmpirun("-np", "3", "program.py", source=BREAKPOINT, stdin=commands)
    assert run.returncode == 0, run.stderr
    for rank in range(3):
        assert f"(Pdb) {rank}" in run.stdout and f"(Pdb) {10 * rank + 1}" in run.stdout


def test_communication_at_the_prompt(pysmpirun: Command) -> None:
    source = """
        from mpi4py import MPI
        world = MPI.COMM_WORLD
        if world.rank == 0:
            breakpoint()
            token = None
        else:
            token = world.recv(source=0)
            world.send(token + 1, dest=0)
    """
    commands = "world.send(41, dest=1)\np 'back', world.recv(source=1)\nquit\n"
    run = pysmpirun("-np", "2", *FREE, "program.py", source=source, stdin=commands)
    assert "('back', 42)" in run.stdout and run.stdout.count("(Pdb)") == 3
    assert run.returncode == 1 and "rank 0 (host node0) was ended in pdb" in run.stderr
    assert "Traceback" not in run.stderr


def test_post_mortem(pysmpirun: Command) -> None:
    """An exception that the chosen rank does not catch opens pdb where it was raised; another rank's does not."""
    source = "from mpi4py import MPI\nrank = MPI.COMM_WORLD.rank\nif rank == 2:\n    wrong = 'here'\n    1 / 0\n"
    run = pysmpirun("-np", "3", *FREE, "--pdb", "2", "program.py", source=source, stdin="p wrong\nwhere\n")
    assert run.returncode == 1 and "'here'" in run.stdout and "program.py(5)" in run.stdout
    run = pysmpirun("-np", "3", *FREE, "--pdb", "1", "program.py", source=source, stdin="p wrong\n")
    assert run.returncode == 1 and "(Pdb)" not in run.stdout


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--pdb", "3"], "rank 3 does not exist (valid: 0 to 2)"),
        (["--pdb", "x"], "not a whole number"),
        (["--break-at", "soon"], "is not a number (valid: seconds, or a time with its unit"),
        (["--break-at", "-1"], "below 0"),
        (["--break-at", "5lightyears"], "unknown unit 'lightyears' (valid: s, ms"),
        (["--rank-stdout", "out", "--label"], "--label and --rank-stdout exclude each other"),
        (["--rank-stdout", "full"], "'kept' already exists"),
        (["--rank-stdout", "program.py"], "'program.py' already exists"),
    ],
)
def test_command_lines_that_cannot_be(pysmpirun: Command, tmp_path: pathlib.Path, words: list[str], what: str) -> None:
    """Nothing runs, and the error says why; files that are there stay."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").write_text("mine")
    run = pysmpirun("-np", "3", *words, "program.py", source="print('ran')")
    assert run.returncode == 2 and what in run.stderr and not run.stdout, run.stderr
    assert (tmp_path / "full" / "kept").read_text() == "mine"


PRINTS = """\
import os, subprocess, sys
from mpi4py import MPI
rank = MPI.COMM_WORLD.rank
print("out of", rank, end="")
MPI.COMM_WORLD.Barrier()
print("!", flush=True)
print("err of", rank, file=sys.stderr)
sys.stdout.buffer.write(b"bytes\\xff\\n")
if rank == 1:
    subprocess.run(["echo", "child"], stdout=sys.stdout, check=True)
    raise RuntimeError("wrong")
MPI.COMM_WORLD.Barrier()
"""


def test_files_of_ranks(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rank-7.out").write_text("earlier")
    run = pysmpirun("-np", "3", *FREE, "--rank-stdout", "out", "--quiet", "program.py", source=PRINTS)
    assert run.returncode == 1 and run.stdout == "" and "RuntimeError: wrong" in run.stderr
    assert sorted(os.listdir(tmp_path / "out")) == [f"rank-{rank}.{end}" for rank in range(3) for end in ("err", "out")]
    for rank in range(3):
        out = (tmp_path / "out" / f"rank-{rank}.out").read_bytes()
        assert out == f"out of {rank}!\n".encode() + b"bytes\xff\n" + (b"child\n" if rank == 1 else b"")
        err = (tmp_path / "out" / f"rank-{rank}.err").read_text()
        assert err.startswith(f"err of {rank}\n") and ("RuntimeError: wrong" in err) == (rank == 1)


def test_files_are_kept_at_a_crash_and_do_not_use_up_descriptors(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """A thousand ranks print in turn under a limit of 256 open files, and then the process is killed."""
    source = """
        import os, resource
        from mpi4py import MPI
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
        for line in range(2):
            print("line", line, "of", MPI.COMM_WORLD.rank)
            MPI.COMM_WORLD.Barrier()
        if MPI.COMM_WORLD.rank == 0:
            os.abort()
    """
    run = pysmpirun("-np", "1000", *FREE, "--rank-stdout", "out", "program.py", source=source, platform="flat:1000")
    assert run.returncode == -6
    for rank in range(1000):
        text = (tmp_path / "out" / f"rank-{rank}.out").read_text()
        assert text == f"line 0 of {rank}\nline 1 of {rank}\n"
