"""Trace and profile functions are private to ranks, so that coverage and cProfile count correctly."""

import json
import pathlib
import pstats
import subprocess
import sys
from collections.abc import Callable

import pytest

Command = Callable[..., subprocess.CompletedProcess[str]]
FREE = ("--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0")

OWN = """
    import sys
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    seen = []

    def trace(frame, event, arg):
        if frame.f_code.co_filename == __file__:
            seen.append(frame.f_code.co_name)
        return None

    def even(): world.Barrier()
    def odd(): world.Barrier()

    world.Barrier()
    if world.rank % 2 == 0:
        {set}(trace)
    for _ in range(3):
        even() if world.rank % 2 == 0 else odd()
    assert {get}() is (trace if world.rank % 2 == 0 else None), {get}()
    {set}(None)
    print(world.rank, [name for name in seen if name in ("even", "odd")].count("even"), "odd" in seen)
"""


@pytest.mark.parametrize("kind", ["trace", "profile"])
def test_functions_hold_for_the_rank_that_sets_them(pysmpirun: Command, kind: str) -> None:
    """Trace functions see the calls of their rank, also after it was suspended, and of no other rank."""
    source = OWN.replace("{set}", f"sys.set{kind}").replace("{get}", f"sys.get{kind}")
    run = pysmpirun("-np", "4", *FREE, "program.py", source=source)
    assert run.returncode == 0, run.stderr
    calls = 3 if kind == "trace" else 6  # a profile function sees returns, too
    assert sorted(run.stdout.splitlines()) == [f"{rank} {calls if rank % 2 == 0 else 0} False" for rank in range(4)]


def test_a_rank_that_leaves_its_function_set(pysmpirun: Command) -> None:
    """The function ends with the rank; later ranks have none."""
    source = """
        import sys
        from mpi4py import MPI
        before = sys.gettrace()
        sys.settrace(lambda *_: None)
        print(before)
    """
    run = pysmpirun("-np", "3", *FREE, "program.py", source=source)
    assert (run.returncode, run.stdout) == (0, "None\n" * 3), run.stderr


BRANCHES = """\
from mpi4py import MPI
world = MPI.COMM_WORLD
def work(rank):
    if rank == 0:
        world.Barrier()
        a = 1
    elif rank == 1:
        world.Barrier()
        a = 2
    else:
        world.Barrier()
        a = 3
    if rank < 100:
        a += 1
    return a
work(world.rank)
"""


def lines_and_branches(report: pathlib.Path) -> tuple[list[int], list[list[int]]]:
    """Return the missed lines and branches in coverage's report of the program."""
    files = json.loads(report.read_text())["files"]
    (found,) = [file for name, file in files.items() if name.endswith("program.py")]
    return found["missing_lines"], found["missing_branches"]


@pytest.mark.parametrize("core", ["ctrace", "sysmon"])
def test_coverage_of_all_ranks(
    pysmpirun: Command, tmp_path: pathlib.Path, core: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the launcher, coverage sees each line and branch that any rank takes, and no other."""
    pytest.importorskip("coverage")
    if core == "sysmon" and sys.version_info < (3, 14):
        pytest.skip("coverage's sysmon measures branches, and knows greenlets, from Python 3.14 on")
    environment = {"COVERAGE_CORE": core}
    settings = [] if core == "sysmon" else ["--concurrency=greenlet"]
    coverage = [sys.executable, "-m", "coverage", "run", "--branch", *settings, f"--include={tmp_path}/program.py"]
    run = pysmpirun("-np", "3", *FREE, "program.py", source=BRANCHES, python=coverage, environment=environment)
    assert run.returncode == 0, run.stderr
    report(tmp_path)
    assert lines_and_branches(tmp_path / "report.json") == ([], [[13, 15]])


def test_coverage_by_rank(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """Started in the ranks, as under mpiexec, each rank writes its own data."""
    pytest.importorskip("coverage")
    words = ["-m", "coverage", "run", "--branch", "-p", f"--include={tmp_path}/program.py", "program.py"]
    run = pysmpirun("-np", "2", *FREE, *words, source=BRANCHES, environment={"COVERAGE_CORE": "ctrace"})
    assert run.returncode == 0, run.stderr
    data = sorted(tmp_path.glob(".coverage.*"))
    assert len(data) == 2
    missing = []
    for file in data:
        report(tmp_path, f"--data-file={file}")
        missing.append(lines_and_branches(tmp_path / "report.json")[0])
    assert sorted(missing) == [[5, 6, 11, 12], [7, 8, 9, 11, 12]]
    subprocess.run([sys.executable, "-m", "coverage", "combine", "-q"], cwd=tmp_path, check=True)
    report(tmp_path)
    assert lines_and_branches(tmp_path / "report.json")[0] == [11, 12]


def report(folder: pathlib.Path, *words: str) -> None:
    """Write coverage's report as JSON."""
    command = [sys.executable, "-m", "coverage", "json", "-q", "-o", "report.json", *words]
    subprocess.run(command, cwd=folder, check=True)


PROFILED = """\
import time
import pysmpi
from mpi4py import MPI
world = MPI.COMM_WORLD

def mine():
    pysmpi.execute(1.0 + world.rank)
    world.Barrier()

def of_rank_1():
    time.sleep(2.0)

for _ in range(3):
    mine()
if world.rank == 1:
    of_rank_1()
world.Barrier()
"""


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="one cProfile a process since Python 3.12 (sys.monitoring)")
def test_each_rank_has_its_own_profile(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """cProfile counts each rank's calls on the simulated clock; --fill-rank gives the file names."""
    words = ["--fill-rank", "-m", "cProfile", "-o", "rank-{rank}.prof", "program.py"]
    run = pysmpirun("-np", "3", *FREE, *words, source=PROFILED)
    assert run.returncode == 0, run.stderr
    for rank in range(3):
        stats = pstats.Stats(str(tmp_path / f"rank-{rank}.prof")).stats  # type: ignore[attr-defined]
        found = {name: values for (_, _, name), values in stats.items()}
        calls, _, _, seconds, _ = found["mine"]
        assert calls == 3 and abs(seconds - 9.0) < 0.01  # the slowest computes for 3 s each time
        assert ("of_rank_1" in found) == (rank == 1)
        if rank == 1:
            assert abs(found["of_rank_1"][3] - 2.0) < 0.01
