"""Copies of a run that occupy other cores of this machine while it is measured (smpi/busy-cores)."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import ConfigurationError, LaunchError
from pysmpi.platform import Cluster, load
from pysmpi.simulation.isolation.current import hosted
from pysmpi.simulation.launch import busy_cores
from pysmpi.simulation.launch.busy_cores import keep_cores_busy
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.run_options import RunOptions

BUSY = "smpi/busy-cores"
# Functions of this process. Inside ranks, the modules have functions of the rank instead.
PROCESS = os.getpid


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy_cores.os, "sched_getaffinity", lambda process: {0, 1})


def wait_for(happened: Callable[[], bool]) -> bool:
    with hosted():  # in real time, also in ranks
        limit = time.perf_counter() + 60
        while not happened() and limit > time.perf_counter():
            time.sleep(0.01)
        return happened()


def runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_copy_runs_over_and_over_until_the_run_ends(tmp_path: Path) -> None:
    """Each copy is a separate process. No copy is left after the run."""
    mine = PROCESS()

    def copies() -> list[int]:
        return [int(each.name) for each in tmp_path.iterdir() if int(each.name) != mine]

    def program() -> None:
        (tmp_path / str(PROCESS())).touch()
        if PROCESS() == mine:
            assert wait_for(lambda: len(copies()) >= 3)

    pysmpi.simulate(program, np=1, platform=Cluster(1), cfg={BUSY: 2})
    assert wait_for(lambda: not any(map(runs, copies())))


def test_a_copy_ends_if_the_run_fails(tmp_path: Path) -> None:
    mine = PROCESS()

    def program() -> None:
        if PROCESS() != mine:
            (tmp_path / str(PROCESS())).touch()
            time.sleep(60)
        assert wait_for(lambda: any(tmp_path.iterdir()))
        raise RuntimeError

    with pytest.raises(pysmpi.errors.RankError):
        pysmpi.simulate(program, np=1, platform=Cluster(1), cfg={BUSY: 2})
    (copy,) = tmp_path.iterdir()
    assert wait_for(lambda: not runs(int(copy.name)))


def test_copies_write_no_files_of_the_run(tmp_path: Path) -> None:
    """A copy has the options of the run without those that write files or open a debugger."""
    configuration = Configuration()
    configuration.set_item(f"{BUSY}:2", "cfg")
    platform = load("flat:1")
    job = Job(
        platform, [0], [], [0], configuration, RunOptions(instruments={"trace": "t"}, pdb=0, seed=5, blas="model.json")
    )
    read, write = os.pipe()

    def run(copy: Job) -> None:
        os.write(write, repr(copy.options).encode())
        time.sleep(60)

    with keep_cores_busy(job, run):
        text = os.read(read, 100_000).decode()
    assert text == repr(RunOptions(seed=5, blas="model.json", quiet=True))


@pytest.mark.parametrize(("hosts", "placed", "count"), [("flat:2:cores=2", [0, 0, 1], 1), ("flat:2", [0, 1], 0),
                                                        ("flat:1:cores=4", [0] * 4, 1)])  # fmt: skip
def test_auto_takes_a_core_for_each_rank_of_the_fullest_host(hosts: str, placed: list[int], count: int) -> None:
    configuration = Configuration()
    configuration.set_item(f"{BUSY}:auto", "cfg")
    job = Job(load(hosts), placed, [], [0] * len(placed), configuration)
    assert busy_cores._count(job) == count


def test_more_cores_than_the_machine_has() -> None:
    with pytest.raises(LaunchError, match="smpi/busy-cores:3 is not valid here: this process may use 2 of"):
        pysmpi.simulate(lambda: None, np=1, platform=Cluster(1), cfg={BUSY: 3})


def test_not_a_number_of_cores() -> None:
    with pytest.raises(ConfigurationError, match="valid: a whole number, 1 or more, or auto"):
        pysmpi.simulate(lambda: None, np=1, platform=Cluster(1), cfg={BUSY: 0})


def test_no_effect_without_measured_computation() -> None:
    cfg = {BUSY: 2, "smpi/simulate-computation": "no"}
    result = pysmpi.simulate(lambda: None, np=1, platform=Cluster(1), cfg=cfg)
    assert f"--cfg={BUSY}:2: no computation was measured" in result.without_effect


def test_the_summary_names_the_busy_cores() -> None:
    def program() -> None:
        sum(range(10**6))
        MPI.COMM_WORLD.Barrier()
        sum(range(10**6))

    result = pysmpi.simulate(program, np=1, platform=Cluster(1), cfg={BUSY: 2})
    assert f"code measured, as long as on this machine ({BUSY}:2)" in result.conditions[0]
