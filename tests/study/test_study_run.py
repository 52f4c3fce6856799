"""Tests of running studies: stored results, repeated points, and nothing lost if processes are killed."""

import errno
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

import psutil
import pytest
from small_study import STUDY

from pysmpi.errors import StudyError
from pysmpi.study import Study, Table
from pysmpi.study.engines.local import LocalEngine

EXCHANGE = """\
import pysmpi
from mpi4py import MPI

world = MPI.COMM_WORLD
world.Sendrecv(bytearray(1_000_000), 1 - world.rank, recvbuf=bytearray(1_000_000))
pysmpi.report(size=world.size)
"""
JOBS = """\
[[jobs]]
name = "left"
program = "exchange.py"
ranks = 2
hosts = ["{{hosts}}"]

[[jobs]]
name = "right"
program = "exchange.py"
ranks = 2
hosts = ["node-0", "node-1"]
mapping = "round-robin"
"""
MEASURED = {"wall_time", "peak_memory", "busy", "attempts", "started"}


def _study_of_jobs(folder: pathlib.Path) -> pathlib.Path:
    """Run two jobs on separate hosts, and on the same hosts."""
    path = folder / "jobs-study.toml"
    path.write_text(
        "jobs = 'jobs.toml'\nplatform = 'flat:4:cores=1:bw=1GBps:lat=1us'\n[fixed]\n"
        "cfg = { 'smpi/simulate-computation' = 'no' }\n[factors.jobs]\nhosts = ['node-[23]', 'node-[01]']\n"
    )
    return path


class Recording:
    """Engine that records its tasks and returns invented outcomes."""

    width = 1

    def __init__(self, status: str = "done") -> None:
        self.status = status
        self.keys: list[str] = []

    def run(self, tasks: Iterable[tuple[str, dict[str, Any]]]) -> Generator[tuple[str, dict[str, Any]], None, None]:
        """Yield an outcome for each task."""
        for key, _ in tasks:
            self.keys.append(key)
            yield key, {"status": self.status, "kind": "timeout", "error": "as asked", "simulated_time": 1.0,
                        "reported": {"x": 2}}  # fmt: skip

    def close(self) -> None:
        pass


def outcomes(table: Table) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in MEASURED} for row in table]


def test_a_study(folder: pathlib.Path) -> None:
    """Each point has its parameters, simulated time, the program's figures, and how it was made."""
    table = Study.read(folder / "study.toml").run(folder / "results")
    slow, fast = table.rows
    assert (slow["platform.bandwidth"], fast["platform.bandwidth"]) == ("1GBps", "10GBps")
    assert slow["simulated_time"] > fast["simulated_time"] > 0  # type: ignore[operator]
    assert slow["metric.hpl_gflops"] == 125.0
    assert slow["metric.size"] == 4
    assert (slow["status"], slow["attempts"], slow["error"], slow["energy"]) == ("done", 1, None, None)
    assert slow["wall_time"] > 0 and slow["peak_memory"] > 1e6  # type: ignore[operator]
    assert slow["version.mpi4py"].startswith("4.1")  # type: ignore[union-attr]
    assert table.metrics == ["simulated_time", "metric.hpl_seconds", "metric.hpl_gflops", "metric.rank", "metric.size"]
    assert (folder / "results" / "results.parquet").exists() or (folder / "results" / "results.csv").exists()


def test_points_that_fail_stop_no_others(folder: pathlib.Path) -> None:
    """Each failure is stored with its error, and the point runs again only on request."""
    text = 'arguments = ["{{what}}"]\ntimeout = 20\n' + STUDY + "[factors.arguments]\nwhat = ['fail', 'run']\n"
    (folder / "study.toml").write_text(text.replace('"10GBps"', '"fast"'))
    study = Study.read(folder / "study.toml")
    table = study.run(folder / "results")
    assert [row["status"] for row in table] == ["failed", "done", "failed", "failed"]
    assert "ValueError: as asked" in str(table.rows[0]["error"])
    assert f"{folder / 'machine.xml'}:4: " in str(table.rows[2]["error"])
    engine = Recording()
    study.run(folder / "results", engine=engine)
    assert engine.keys == []
    study.run(folder / "results", engine=engine, again=True)
    assert engine.keys == [table.rows[0]["key"], *(row["key"] for row in table.rows[2:])]


def test_only_what_is_new_is_run(folder: pathlib.Path) -> None:
    """Stored points do not run again, changed inputs are noticed, and former results are kept."""
    study = Study.read(folder / "study.toml")
    engine = Recording()
    study.run(folder / "results", engine=engine)
    assert len(engine.keys) == 2
    (folder / "study.toml").write_text(STUDY.replace('"10GBps"]', '"10GBps", "5GBps"]'))
    table = Study.read(folder / "study.toml").run(folder / "results", engine=engine)
    assert len(engine.keys) == 3
    assert [row["metric.x"] for row in table] == [2, 2, 2]
    (folder / "helper.py").write_text("size = 200_000\n")
    changed = Study.read(folder / "study.toml")
    changed.run(folder / "results", engine=engine)
    assert len(engine.keys) == 6
    (folder / "helper.py").write_text("size = 100_000\n")
    changed.run(folder / "results", engine=engine)
    assert len(engine.keys) == 6


def test_what_was_killed_is_run_again(folder: pathlib.Path) -> None:
    study = Study.read(folder / "study.toml")
    killed = Recording("killed")
    assert [row["status"] for row in study.run(folder / "results", engine=killed)] == ["killed"] * 2
    again = Recording()
    assert [row["status"] for row in study.run(folder / "results", engine=again)] == ["done"] * 2
    assert again.keys == killed.keys


def test_a_full_disk_stops_the_study_and_loses_nothing(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study.read(folder / "study.toml")
    written = 0
    real = os.fsync

    def fsync(file: int) -> None:
        nonlocal written
        written += 1
        if written > 1:
            raise OSError(28, "No space left on device")
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(StudyError, match="No space left on device; free some space"):
            study.run(folder / "results", engine=Recording())
    engine = Recording()
    assert len(study.run(folder / "results", engine=engine).done()) == 2
    assert len(engine.keys) == 1


def test_a_disk_that_is_really_full(folder: pathlib.Path) -> None:
    (folder / "results").mkdir()
    run = f"{sys.executable} -m pysmpi.cli.main study run study.toml --quiet --parallel 1 --results results"
    script = f"""
mount -t tmpfs -o size=4k tmpfs results || exit 77
{run} && exit 1
ls results/points
mount -o remount,size=4m results
{run} && ls results/points
"""
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script]
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip("mounting is not permitted")
    assert "No space left on device; free some space and run the study again; finished points are kept" in done.stderr
    kept, _, rest = done.stdout.partition("2 points: 2 done")
    assert len(kept.split()) == 1
    assert kept.strip() in rest.split()
    assert len(rest.split()) == 2


def test_timeouts(folder: pathlib.Path) -> None:
    (folder / "program.py").write_text("while True: pass\n")
    (folder / "study.toml").write_text("timeout = 1\n" + STUDY.replace('"1GBps", ', ""))
    (row,) = Study.read(folder / "study.toml").run(folder / "results")
    assert (row["status"], row["error"]) == ("failed", "exceeded the timeout of 1 s")


def test_workers_that_are_killed(folder: pathlib.Path) -> None:
    (folder / "study.toml").write_text(STUDY + "[factors]\nselector = ['ompi', 'mpich']\n")
    study = Study.read(folder / "study.toml")
    expected = study.run(folder / "undisturbed")
    ended = threading.Event()
    kills = 0

    def kill() -> None:
        nonlocal kills
        draw = random.Random(1)
        while not ended.wait(draw.uniform(0.05, 0.4)) and kills < 4:  # a point is given up after five
            points = [child for child in psutil.Process().children() if "pysmpi.study.simulation" in _words(child)]
            if points:
                draw.choice(points).kill()
                kills += 1

    killer = threading.Thread(target=kill)
    killer.start()
    table = study.run(folder / "results", engine=LocalEngine(2))
    ended.set()
    killer.join()
    assert kills > 0
    assert outcomes(table) == outcomes(expected)


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def test_a_study_that_is_killed(folder: pathlib.Path) -> None:
    """If the study is killed, its points end as well, and the next run simulates the remaining ones."""
    (folder / "study.toml").write_text(STUDY.replace('"10GBps"]', '"10GBps", "5GBps", "2GBps"]'))
    command = [sys.executable, "-m", "pysmpi.cli.main", "study", "run", "study.toml", "--parallel", "1"]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    points = folder / "study.results" / "points"
    while not list(points.glob("*.json")):
        assert running.poll() is None
        time.sleep(0.01)
    time.sleep(0.1)
    children = psutil.Process(running.pid).children()
    running.send_signal(signal.SIGKILL)
    running.wait()
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive
    kept = {path.name: path.stat().st_mtime_ns for path in points.glob("*.json")}
    assert len(kept) < 4
    table = Study.read(folder / "study.toml").run(folder / "study.results")
    assert [row["status"] for row in table] == ["done"] * 4
    assert kept.items() <= {path.name: path.stat().st_mtime_ns for path in points.glob("*.json")}.items()


def test_what_a_program_has_forked_ends_with_it(folder: pathlib.Path) -> None:
    """A child that would outlive its program does not keep the study waiting."""
    forks = "import os, time\nif (child := os.fork()) == 0:\n    time.sleep(600)\n    os._exit(0)\n"
    (folder / "program.py").write_text(f"{forks}import pysmpi\npysmpi.report(child=child)\n")
    (folder / "study.toml").write_text(STUDY.replace('"1GBps", ', "").replace("ranks = 4", "ranks = 1"))
    (row,) = Study.read(folder / "study.toml").run(folder / "results")
    assert row["status"] == "done"
    child = row["metric.child"]
    assert isinstance(child, int)
    if psutil.pid_exists(child):
        psutil.wait_procs([psutil.Process(child)], timeout=20)
    assert not psutil.pid_exists(child)


def test_what_took_too_long_is_tried_again_with_more_time(folder: pathlib.Path) -> None:
    study = Study.read(folder / "study.toml")
    tried = []
    for timeout, status in ((5, "failed"), (5, "failed"), (2, "failed"), (9, "failed"), (None, "done"), (None, "done")):
        engine = Recording(status)
        replace(study, timeout=timeout).run(folder / "results", engine=engine)
        tried.append(len(engine.keys))
    assert tried == [2, 0, 0, 2, 2, 0]


def test_programs_that_close_and_write_to_what_they_do_not_know(folder: pathlib.Path) -> None:
    """Programs that close or write to unknown descriptors lose no outcome, and their files stay intact."""
    (folder / "program.py").write_text(
        "import os, pysmpi\npysmpi.report(**{'x\\udc80': 1})\nfor number in range(3, 30):\n    try:\n"
        "        os.write(number, b'{')\n    except OSError:\n        pass\nos.closerange(3, 300)\n"
        "files = [open(f'{number}.txt', 'w') for number in range(9)]\n"
    )
    (folder / "study.toml").write_text(STUDY.replace('"1GBps", ', "").replace("ranks = 4", "ranks = 1"))
    (row,) = Study.read(folder / "study.toml").run(folder / "results")
    assert row["status"] == "done", row["error"]
    assert row["metric.x\\udc80"] == 1
    assert not any((folder / f"{number}.txt").read_text() for number in range(9))


def test_no_process_can_be_started(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    study = Study.read(folder / "study.toml")
    with monkeypatch.context() as context:
        context.setattr("pysmpi.study.point_process.tempfile.TemporaryFile", refused)
        rows = study.run(folder / "results").rows
    assert {row["status"] for row in rows} == {"killed"}
    assert rows[0]["error"] == "cannot start a process: Too many open files"
    engine = Recording()
    study.run(folder / "results", engine=engine)
    assert len(engine.keys) == 2


def test_an_unknown_engine_is_told_of_though_nothing_is_missing(folder: pathlib.Path) -> None:
    study = Study.read(folder / "study.toml")
    study.run(folder / "results", engine=Recording())
    with pytest.raises(StudyError, match="unknown engine 'slrm'; did you mean 'slurm'"):
        study.run(folder / "results", engine="slrm")


def test_jobs(folder: pathlib.Path) -> None:
    (folder / "exchange.py").write_text(EXCHANGE)
    (folder / "jobs.toml").write_text(JOBS)
    table = Study.read(_study_of_jobs(folder)).run(folder / "results")
    assert table.varied == ["jobs.hosts"]
    apart, beside = table.rows
    assert (apart["metric.left.slowdown"], apart["metric.worst_slowdown"]) == (1.0, 1.0)
    assert beside["metric.left.slowdown"] == beside["metric.worst_slowdown"] > 1.2  # type: ignore[operator]
    assert beside["metric.left.seconds"] > beside["metric.left.alone"] > 0  # type: ignore[operator]
    assert beside["metric.left.reported.size"] == 2
    assert "metric.size" not in beside
    assert beside["simulated_time"] == beside["metric.left.seconds"]


MEASURING = """\
import ctypes, os, random, sys
import pysmpi
from mpi4py import MPI
from pysmpi.native import ffi, lib

draws = random.Random(os.getpid())  # another one in each process


@ffi.callback("void(int32_t, const char *, double *, double *)")
def clock(thread, call, seconds, wall):
    seconds[0] = wall[0] = 1e-3 * draws.random()


world = MPI.COMM_WORLD
if world.rank == 0:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(clock))  # other ranks use it when this one has ended
    lib.pysmpi_invent_intervals(clock)
world.Barrier()
begun = MPI.Wtime()
for step in range(int(sys.argv[1])):
    MPI.COMM_SELF.Barrier()
pysmpi.report(seconds=round(MPI.Wtime() - begun, 9))
"""
MEASURED_STUDY = """\
program = "measuring.py"
arguments = ["{{steps}}"]
platform = "flat:4:bw={{bandwidth}}:lat=1us"
[fixed]
ranks = 2
[factors.arguments]
steps = [5, 6]
[factors.platform]
bandwidth = BANDWIDTHS
"""


def test_points_with_the_same_program_share_measured_computation(tmp_path: pathlib.Path) -> None:
    """Points on other machines take over the intervals of the first one, also in a later run of the study."""
    (tmp_path / "measuring.py").write_text(MEASURING)
    path = tmp_path / "study.toml"
    table: Table | None = None
    for bandwidths in ('["1GBps", "2GBps", "4GBps"]', '["1GBps", "2GBps", "4GBps", "8GBps"]'):
        path.write_text(MEASURED_STUDY.replace("BANDWIDTHS", bandwidths))
        table = Study.read(path).run(tmp_path / "results", parallel=4)
        assert [row["status"] for row in table] == ["done"] * len(table)
    assert table is not None
    for steps in ("5", "6"):
        rows = [row for row in table if str(row["arguments.steps"]) == steps]
        assert len(rows) == 4 and len({row["metric.seconds"] for row in rows}) == 1
        first, *others = sorted(rows, key=lambda row: int(row["intervals_reused"] or 0))
        assert first["intervals_reused"] == 0 and first["intervals_unmatched"] is None
        assert {row["intervals_unmatched"] for row in others} == {0} and others[0]["intervals_reused"]
    assert len({row["metric.seconds"] for row in table}) == 2
    assert len(list((tmp_path / "results" / "intervals").iterdir())) == 2
