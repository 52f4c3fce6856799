"""Tests of several jobs on one platform: separate worlds, hosts and start times, and slowdowns."""

import json
import pathlib
import signal
from dataclasses import replace
from typing import Any

import pytest

import pysmpi
from pysmpi import JobDescription
from pysmpi.cli.run import main
from pysmpi.errors import LaunchError, PlacementError, PlatformError, RankError
from pysmpi.platform import read
from pysmpi.simulation.experiments.jobs import place_jobs
from pysmpi.simulation.launch.collect import Conclusion
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.launch.run import run

PLATFORM = "fattree:2/4,4/1,1/1,1:speed=1Gf:bw=1GBps:lat=1us"  # four leaves of four hosts, and one root
CFG = {"smpi/simulate-computation": "no"}
PROGRAM = """\
import json, os, sys
import numpy as np
from mpi4py import MPI
import pysmpi

world = MPI.COMM_WORLD
begin = MPI.Wtime()
block = pysmpi.folded_empty((world.size, 100_000))
world.Alltoall(block, pysmpi.folded_empty((world.size, 100_000)))
told = {"size": world.size, "parent": world.Get_parent() == MPI.COMM_NULL, "number": world.Get_attr(MPI.APPNUM),
        "rank": os.environ["PMI_RANK"], "of": os.environ["PMI_SIZE"], "arguments": sys.argv[1:],
        "sum": int(world.allreduce(np.int64(world.rank))), "begin": begin}
with open(f"{sys.argv[1]}-{world.rank}.json", "w") as file:
    json.dump(told, file)
print("done")
"""


@pytest.fixture
def program(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an alltoall program that records what a rank sees."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "program.py").write_text(PROGRAM)
    return str(tmp_path / "program.py")


def hosts(*numbers: int) -> list[str]:
    return [read(PLATFORM).hosts[number].name for number in numbers]


def test_each_has_a_world_of_its_own(program: str, tmp_path: pathlib.Path) -> None:
    jobs = [
        JobDescription(program, 4, "first", ["first"]),
        JobDescription(program, 3, "second", ["second", "x"], start=5.0),
    ]
    first, second = pysmpi.simulate_jobs(jobs, platform=PLATFORM, cfg=CFG)
    told = {file.stem: json.loads(file.read_text()) for file in tmp_path.glob("*.json")}
    assert len(told) == 7
    assert told["first-3"]["size"] == 4 and told["first-3"]["sum"] == 6
    assert told["second-2"] | {"begin": 0} == {"size": 3, "parent": True, "number": 0, "rank": "2", "of": "3",
                                               "arguments": ["second", "x"], "sum": 3, "begin": 0}  # fmt: skip
    assert first.seconds is not None and second.seconds is not None
    assert 0 < second.seconds < 1
    assert (first.slowdown, second.slowdown) == pytest.approx((1.0, 1.0))  # they never meet


def test_jobs_that_share_links_slow_each_other_down(program: str) -> None:
    apart = [
        JobDescription(program, 4, name, [name], hosts=hosts(*range(at, at + 4))) for name, at in (("a", 0), ("b", 4))
    ]
    for outcome in pysmpi.simulate_jobs(apart, platform=PLATFORM, cfg=CFG):
        assert outcome.slowdown == pytest.approx(1.0)
    mixed = [JobDescription(program, 4, "a", ["a"], hosts=hosts(0, 1, 4, 5)),
             JobDescription(program, 4, "b", ["b"], hosts=hosts(2, 3, 6, 7))]  # fmt: skip
    for outcome in pysmpi.simulate_jobs(mixed, platform=PLATFORM, cfg=CFG):
        assert outcome.slowdown is not None
        assert 1.5 < outcome.slowdown < 2.1


def test_alone_is_what_pysmpi_simulate_tells(program: str) -> None:
    """A job's time alone equals that of its program on the same hosts."""
    names = hosts(0, 5, 10)
    (outcome,) = pysmpi.simulate_jobs([JobDescription(program, 3, "a", ["a"], hosts=names)], platform=PLATFORM, cfg=CFG)
    alone = pysmpi.simulate(program, np=3, platform=PLATFORM, hosts=names, args=["a"], cfg=CFG)
    assert outcome.seconds == outcome.alone == alone.simulated_time


def test_jobs_draw_the_same_numbers_alone(program: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "draws.py").write_text(
        "import random, numpy, pysmpi\nx = random.random() + numpy.random.rand()\n"
        "pysmpi.execute_flops(1e9 * x)\npysmpi.report(x=x)\n"
    )
    jobs = [JobDescription(str(tmp_path / "draws.py"), 1, name) for name in ("a", "b")]
    first, second = pysmpi.simulate_jobs(jobs, platform=PLATFORM, cfg=CFG)
    assert (first.slowdown, second.slowdown) == (1.0, 1.0)
    assert first.seconds == pytest.approx(first.reported["x"])
    assert second.seconds == pytest.approx(second.reported["x"])
    assert first.seconds != second.seconds


def test_jobs_that_cannot_do_without_each_other(program: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "meets.py").write_text(
        "import sys\nfrom mpi4py import MPI\nif sys.argv[1] == 'a':\n    port = MPI.Open_port()\n"
        "    MPI.Publish_name('here', port)\n    MPI.COMM_SELF.Accept(port)\nelse:\n"
        "    MPI.COMM_SELF.Connect(MPI.Lookup_name('here'))\n"
    )
    jobs = [JobDescription(str(tmp_path / "meets.py"), 1, "a", ["a"]),
            JobDescription(str(tmp_path / "meets.py"), 1, "b", ["b"], start=1e-3)]  # fmt: skip
    for outcome in pysmpi.simulate_jobs(jobs, platform=PLATFORM, cfg=CFG):
        assert outcome.seconds is not None and outcome.seconds > 0
        assert (outcome.alone, outcome.slowdown) == (None, None)


def test_a_machine_that_changes_in_time(program: str, tmp_path: pathlib.Path) -> None:
    """A late job is compared with its run alone at the same time, when links may be slower than at the start."""
    (tmp_path / "machine.xml").write_text(
        '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>'
        '<link id="l" bandwidth="1GBps" latency="1us"/><route src="a" dst="b"><link_ctn id="l"/></route>'
        '<trace id="t" periodicity="-1">1 1e6\n</trace>'
        '<trace_connect kind="BANDWIDTH" trace="t" element="l"/></zone></platform>\n'
    )
    jobs = [JobDescription(program, 2, "late", ["late"], start=2.0, hosts=["a", "b"])]
    (outcome,) = pysmpi.simulate_jobs(jobs, platform=str(tmp_path / "machine.xml"), cfg=CFG)
    assert outcome.seconds is not None and outcome.seconds > 0.1
    assert outcome.slowdown == 1.0


def test_ctrl_c_while_jobs_run_alone(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[Job] = []

    def interrupted(job: Job) -> Conclusion:
        runs.append(job)
        return replace(run(job), interrupted=signal.SIGINT if len(runs) == 3 else 0)

    monkeypatch.setattr("pysmpi.simulation.experiments.jobs.run", interrupted)
    jobs = [JobDescription(program, 1, name, [name]) for name in "abcd"]
    with pytest.raises(KeyboardInterrupt):
        pysmpi.simulate_jobs(jobs, platform=PLATFORM, cfg=CFG)
    assert len(runs) == 3


def test_places() -> None:
    """Jobs that name hosts are placed first, the others on free cores; mappings apply to these cores."""
    machine = read("flat:4:cores=2")
    names = [host.name for host in machine.hosts]
    jobs = [JobDescription("x", 3, "free"), JobDescription("x", 2, "named", hosts=[names[1], names[0]]),
            JobDescription("x", 3, "turns", mapping="round-robin")]  # fmt: skip
    placed = place_jobs(jobs, machine)
    assert placed == [[0, 0, 2], [1, 1], [2, 3, 3]]
    with pytest.raises(PlacementError, match="job more: 3 ranks, but the number of free cores is 2"):
        place_jobs([JobDescription("x", 3, "more", hosts=names[:1])], machine)
    assert place_jobs([JobDescription("x", 3, hosts=["node-[23]"])], machine) == [[2, 2, 3]]
    with pytest.raises(PlatformError, match=r"job x: .* no host is called 'nod-\*'.* a pattern such as 'node-\*'"):
        place_jobs([JobDescription("x", 1, hosts=["nod-*"])], machine)


def test_output_of_other_processes(tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "writes.py").write_text("import os\nos.write(1, b'out')\nos.system('echo child >&2')\nprint('end')\n")
    pysmpi.simulate_jobs([JobDescription(str(tmp_path / "writes.py"), 1)], platform=PLATFORM)
    print("after")
    told = capfd.readouterr()
    assert (told.out.count("out"), told.out.count("end"), told.out.count("after")) == (1, 1, 1)
    assert told.err.count("child") == 1


@pytest.mark.parametrize(
    ("jobs", "said"), [([], "the list of jobs is empty"), (["x.py"], "'x.py' is not a job; write JobDescription")]
)
def test_what_is_no_job(jobs: Any, said: str) -> None:
    with pytest.raises(LaunchError, match=said):
        pysmpi.simulate_jobs(jobs, platform=PLATFORM)


def test_a_job_that_fails_ends_all(program: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "wrong.py").write_text("raise ValueError('as asked')\n")
    jobs = [JobDescription(program, 2, "a", ["a"]), JobDescription(str(tmp_path / "wrong.py"), 1, "wrong")]
    with pytest.raises(RankError, match="as asked"):
        pysmpi.simulate_jobs(jobs, platform=PLATFORM, cfg=CFG)


def test_command_line(program: str, tmp_path: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The output lists each job's time alone and beside the others; programs' output appears once."""
    (tmp_path / "jobs.toml").write_text(
        "[[jobs]]\nname='left'\nprogram='program.py'\narguments=['a']\nranks=2\n"
        "[[jobs]]\nprogram='program.py'\narguments=['b']\nranks=2\nstart=0.5\n"
    )
    trace = tmp_path / "both.csv"
    words = ["--platform", PLATFORM, "--cfg=smpi/simulate-computation:no", "--map", "--trace", str(trace),
             "--jobs", str(tmp_path / "jobs.toml")]  # fmt: skip
    assert main(words) == 0
    assert {line.split(",")[2] for line in trace.read_text().splitlines()} >= {"0", "1", "2", "3"}
    told = capfd.readouterr().out
    assert told.count("done") == 4
    assert "program rank 1 -> node-3" in told
    lines = told.splitlines()
    assert lines[-3].split() == ["job", "ranks", "start", "took", "alone", "slowdown"]
    assert lines[-1].split()[:4] == ["program", "2", "500", "ms"]
    assert lines[-1].endswith("1.000")


MEASURED = """\
import ctypes, random
from mpi4py import MPI
from pysmpi.native import ffi, lib

@ffi.callback("void(int32_t, const char *, double *, double *)")
def clock(thread, call, seconds, wall):
    seconds[0] = wall[0] = 1e-3 * random.SystemRandom().random()

world = MPI.COMM_WORLD
if world.rank == 0:
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(clock))  # other ranks use it when this one has ended
    lib.pysmpi_invent_intervals(clock)
for step in range(10):
    world.Barrier()
"""


def test_a_job_alone_computes_as_long_as_beside_others(program: str) -> None:
    """The slowdown is that of the network, without the noise of measured computation."""
    pathlib.Path(program).write_text(MEASURED)
    jobs = [JobDescription(program, 4, name, hosts=hosts(*range(4 * i, 4 * i + 4))) for i, name in enumerate("abc")]
    for outcome in pysmpi.simulate_jobs(jobs, platform=PLATFORM):
        assert outcome.slowdown == pytest.approx(1, rel=1e-9) and outcome.seconds > 1e-3
