"""Executables in ranks behave as in processes of their own."""

import itertools
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Compile = Callable[..., Path]
Execute = Callable[..., subprocess.CompletedProcess[str]]


def test_a_rank_is_a_process(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    run = execute("-np", 3, compiled("process.c"), tmp_path)
    lines = sorted(run.stdout.splitlines())
    expected = [
        f"{rank} of 3: MPI 0 1, errno {rank}, token b, rand {number}, drand48 {fraction}, value {rank}, /{rank}, "
        f"signal 10, global {21 + rank}, node-{rank}, pid {100000 + rank}, cores 1, name process"
        for rank, number, fraction in [
            (0, 1804289383, "0.170828"),
            (1, 1804289383, "0.041630"),
            (2, 1505335290, "0.912433"),
        ]
    ]
    ends = [f"{kind} {21 + rank}" for kind in ("atexit", "destructor") for rank in range(3)]
    assert lines == expected + ends
    assert run.returncode == 3


def test_random_numbers_are_those_of_the_c_library(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    alone = subprocess.run(
        [compiled("random_numbers.c", command="cc", output="alone")], capture_output=True, text=True, check=True
    )
    run = execute("-np", 2, "--rank-stdout", "out", compiled("random_numbers.c", "-DHAS_MPI"))
    assert run.returncode == 0
    for rank in range(2):
        assert (tmp_path / "out" / f"rank-{rank}.out").read_text() == alone.stdout


def test_options_are_those_of_the_c_library(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    words = "-a -b -bx -g -gx -abx -c -ca -- - x y --alpha --alph --al --alphabet=z --alphabet --beta --beta=q --bet "
    words += "--gamma --gamma=w --flag --c --nothing -alpha -beta -z -W alpha -Wbeta=1 -alphabet=2 -gamma"
    draw = random.Random(50)
    kinds = itertools.cycle(f"{kind} {options}" for kind in "sol" for options in ("ab:g::c", "+ab:g::c", "-ab:g::cW;",
                                                                                  ":ab:g::c"))  # fmt: skip
    lines = [f"{next(kinds)} {' '.join(draw.choices(words.split(), k=draw.randrange(7)))}" for _ in range(3000)]
    (tmp_path / "lines").write_text("\n".join(lines) + "\n")
    alone = compiled("options.c", command="cc", output="alone")
    expected = subprocess.run([alone, "lines"], capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    run = execute("-np", 1, compiled("options.c", "-DHAS_MPI"), "lines")
    assert run.returncode == 0
    found = zip(lines, expected.splitlines(), run.stdout.splitlines(), strict=True)
    assert [each for each in found if each[1] != each[2]] == []


def test_cpp(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 3, compiled("cpp.cpp"))
    assert sorted(run.stdout.splitlines()) == [
        "0: 3.14 10 2 5 0",
        "1: 3.142 11 2 6 0",
        "2: 3.1416 12 2 7 0",
        "destroyed 10 2",
        "destroyed 11 2",
        "destroyed 12 2",
    ]
    assert run.stderr.startswith("caught odd 1\n")
    assert run.returncode == 0


def test_exception_that_nothing_catches(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 2, compiled("cpp.cpp"), "throw")
    assert "terminate called after throwing an instance of 'int'\n" in run.stderr
    assert re.search(r"rank \d \(host node-\d\) called abort\(\); all ranks are stopped", run.stderr)
    assert run.returncode == 134


@pytest.mark.parametrize(
    ("how", "status", "text"),
    [
        ("abort", 134, "rank 1 (host node-1) called abort(); all ranks are stopped"),
        ("assert", 134, "ends: {source}:24: main: Assertion `rank == 2' failed."),
        ("MPI_Abort", 9, "rank 1 (host node-1) called MPI_Abort(9); all ranks are stopped"),
        ("error", 1, "MPI_Send: invalid rank 77"),
        ("raise", 143, "rank 1 (host node-1) called raise(); all ranks are stopped"),
        ("fork", 1, "rank 1: fork: a rank of an executable cannot be copied"),
        ("exec", 1, "rank 1: exec: another program would take the place of the simulator"),
        ("alarm", 1, "rank 1: signals by time (alarm, setitimer, timer_create) are not simulated"),
        ("deadlock", 1, "rank 1 (node-1): MPI_Recv on MPI_COMM_WORLD from rank 0, tag 5, up to 4 bytes"),
    ],
)
def test_ends_that_stop_all_ranks(compiled: Compile, execute: Execute, how: str, status: int, text: str) -> None:
    run = execute("-np", 3, compiled("ends.c"), how)
    assert text.format(source=Path(__file__).with_name("ends.c")) in run.stderr
    assert run.stdout == ""  # no rank goes on after its last MPI call has failed
    assert run.returncode == status


@pytest.mark.parametrize(
    ("how", "status", "output"), [("exit", 4, "atexit\n"), ("_exit", 5, ""), ("errx", 6, "atexit\n")]
)
def test_exit(compiled: Compile, execute: Execute, how: str, status: int, output: str) -> None:
    run = execute("-np", 2, compiled("ends.c"), how)
    assert run.stdout.startswith(output)
    assert run.returncode == status
    assert ("ends: no luck\n" in run.stderr) == (how == "errx")


def test_own_libraries_have_variables_of_each_rank(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    compiled("counter.c", "-shared", "-fPIC", output="libcounter.so")
    program = compiled("counting.c", f"-L{tmp_path}", "-lcounter", f"-Wl,-rpath,{tmp_path}")
    run = execute("-np", 3, program)
    first = [100 + rank + 1 + 1000 + rank for rank in range(3)]
    second = [number + rank + 1 + 1000 + rank for rank, number in enumerate(first)]
    assert sorted(run.stdout.splitlines()) == [f"{r}: {first[r]} {second[r]} {second[r]}" for r in range(3)]


def test_output_is_labelled_and_kept_in_files(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    program = compiled("cpp.cpp")
    labelled = execute("--label", "-np", 2, program)
    assert sorted(labelled.stdout.splitlines())[0] == "[0] 0: 3.14 10 2 5 0"
    assert "[1] caught odd 1\n" in labelled.stderr
    execute("--rank-stdout", "out", "-np", 2, program)
    assert (tmp_path / "out" / "rank-1.out").read_text() == "1: 3.142 11 2 6 0\ndestroyed 11 2\n"
    assert (tmp_path / "out" / "rank-1.err").read_text() == "caught odd 1\n"


def test_streams_and_locales(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    run = execute("-np", 2, compiled("streams.cpp"), stdin="a line\n")
    expected = [
        [f"{rank} wide text", f"{rank} wcout", f"{rank} aXc A", f"{rank} descriptors 0 1 2", f"{rank} after abort"]
        for rank in range(2)
    ]
    inputs = ["0 input 1 a line", "1 input 0 "]
    assert sorted(run.stdout.splitlines()) == sorted([*expected[0], *expected[1], *inputs])
    assert [(tmp_path / f"own{rank}").read_text() for rank in range(2)] == ["of rank 0\n", "of rank 1\n"]
    assert "dup2 onto a standard stream" in execute("-np", 1, compiled("streams.cpp"), "redirect").stderr


def test_threads_of_the_program(compiled: Compile, execute: Execute) -> None:
    program = compiled("threads.c", "-fopenmp", "-pthread")
    run = execute("-np", 2, program)
    lines = [line for rank in range(2) for line in (f"thread of {rank}", f"{rank}: 0 of 2", f"{rank}: 1 of 2")]
    assert sorted(run.stdout.splitlines()) == sorted(lines)
    assert "MPI call inside a parallel region of OpenMP" in execute("-np", 2, program, "wait").stderr


def test_keys_of_thread_specific_data(compiled: Compile, execute: Execute) -> None:
    run = execute("-np", 4, compiled("keys.c", "-pthread"))
    assert sorted(run.stdout.splitlines()) == [f"{rank}: right" for rank in range(4)], run.stderr


def test_a_program_that_starts_python_programs_with_numpy(compiled: Compile, execute: Execute) -> None:
    """NumPy is loaded in the ranks that use it, and each rank has its own random numbers."""
    program = Path(__file__).parent / "draws.py"
    runs = [execute("-np", 1, compiled("spawns.c"), program) for _ in range(2)]
    assert [run.stdout for run in runs] == ["different\n"] * 2, runs[0].stderr


def test_programs_from_a_file(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    program = compiled("ends.c")
    (tmp_path / "programs").write_text(f"# two parts\n-np 1 {program} wait\n\n-np 2 {program} 'a word'  # more\n")
    run = execute("--app", "programs")
    assert sorted(run.stdout.splitlines()) == ["atexit", *(f"rank {rank} goes on" for rank in range(3))]
    assert "--app takes neither a program nor -np" in execute("--app", "programs", "-np", 2, program).stderr
    assert "--app none: cannot read the file" in execute("--app", "none").stderr
    (tmp_path / "programs").write_text("-np 1 'a\n")
    assert "programs:1: No closing quotation" in execute("--app", "programs").stderr


def test_several_programs(compiled: Compile, execute: Execute, tmp_path: Path) -> None:
    (tmp_path / "peer.py").write_text(
        "from mpi4py import MPI\nw = MPI.COMM_WORLD\nfor _ in range(2):\n    w.Barrier()\nprint(w.rank, 'Python')\n"
    )
    run = execute("-np", 1, "peer.py", ":", "-np", 1, compiled("ends.c"), "wait", ":", "-np", 1, compiled("ends.c"))
    assert sorted(run.stdout.splitlines()) == ["0 Python", "atexit", "rank 1 goes on", "rank 2 goes on"]
