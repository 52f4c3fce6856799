"""The selector that finds out which algorithms are best."""

import json
import pathlib
import subprocess
import sys

import pytest

import pysmpi
from pysmpi.simulation.modifiers.best_selector import describe_choices
from pysmpi.study import compare_algorithms

QUIET = {"smpi/simulate-computation": "no"}


def _program():
    import numpy as np
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    for count in (10, 11, 20_000):
        data = np.full(count, float(comm.rank))
        total = np.zeros(count)
        comm.Allreduce(data, total)
        assert (total == sum(range(comm.size))).all()
    half = comm.Split(comm.rank % 2)
    half.Barrier()
    return MPI.Wtime()


def test_the_fastest_of_the_comparison_is_taken(platform_file: pathlib.Path) -> None:
    """Sizes within a power of two share a choice, which is that of pysmpi collectives --compare."""
    cfg = QUIET | {"smpi/allreduce": "best"}
    result = pysmpi.simulate(_program, np=5, platform=platform_file, cfg=cfg)
    small, large = result.best
    assert [(choice.operation, choice.ranks, choice.bytes, choice.calls) for choice in result.best] == [
        ("allreduce", 5, 80, 2),
        ("allreduce", 5, 160_000, 1),
    ]
    comparison = compare_algorithms("allreduce", np=5, sizes=[80, 160_000], platform=platform_file)
    for index, choice in enumerate((small, large)):
        fastest = min(trial.seconds[index] for trial in comparison.algorithms)
        assert choice.seconds == pytest.approx(fastest, rel=1e-12)
        assert choice.default_seconds is not None
        assert choice.seconds <= choice.default_seconds * (1 + 1e-12)
    assert result.simulated_time <= pysmpi.simulate(_program, np=5, platform=platform_file, cfg=QUIET).simulated_time
    assert len(describe_choices(result.best)) == 3


def test_each_communicator_is_tried_on_its_hosts(platform_file: pathlib.Path) -> None:
    """The two halves of the world are different kinds, of as many ranks as they have."""
    cfg = QUIET | {"smpi/barrier": "best"}
    hosts = [f"node{rank}" for rank in range(4)]
    result = pysmpi.simulate(_program, np=4, platform=platform_file, cfg=cfg, hosts=hosts)
    assert [(choice.operation, choice.ranks, choice.calls) for choice in result.best] == [("barrier", 2, 1)] * 2


def _spawning():
    import sys

    from mpi4py import MPI

    code = "from mpi4py import MPI; MPI.Comm.Get_parent().Merge(True).Barrier(); MPI.COMM_WORLD.Barrier()"
    MPI.COMM_WORLD.Spawn(sys.executable, ["-c", code], 3).Merge().Barrier()
    MPI.COMM_WORLD.Barrier()


def test_spawned_ranks_have_hosts_too(platform_file: pathlib.Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Trials cover calls between parents and children, and among children, and are counted separately."""
    result = pysmpi.simulate(_spawning, np=2, platform=platform_file, cfg=QUIET | {"smpi/barrier": "best"})
    assert sorted((choice.ranks, choice.calls) for choice in result.best) == [(2, 1), (3, 1), (5, 1)]
    assert all(choice.algorithm for choice in result.best)
    assert "best" not in capfd.readouterr().err


def _gathering():
    from mpi4py import MPI

    return MPI.COMM_WORLD.gather(MPI.COMM_WORLD.rank)


@pytest.mark.smpi
def test_what_the_default_selector_does_is_a_candidate(platform_file: pathlib.Path) -> None:
    """The default gather is not one of the named algorithms, and is faster than these."""
    cfg = QUIET | {"smpi/gather": "best"}
    result = pysmpi.simulate(_gathering, np=4, platform=platform_file, cfg=cfg)
    assert result.ranks[0].value == [0, 1, 2, 3]
    (choice,) = result.best
    assert (choice.algorithm, choice.seconds) == ("default", choice.default_seconds)


def _elsewhere(folder):
    import os

    from mpi4py import MPI

    os.chdir(folder)
    MPI.COMM_WORLD.Barrier()


def test_the_platform_is_found_from_other_folders(
    platform_file: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program changes its folder before its first call, and the platform's path is a relative one."""
    monkeypatch.chdir(platform_file.parent)
    cfg = QUIET | {"smpi/barrier": "best"}
    result = pysmpi.simulate(_elsewhere, np=2, platform=platform_file.name, cfg=cfg, args=(str(tmp_path),))
    (choice,) = result.best
    assert choice.error is None
    assert choice.algorithm


def test_without_it_nothing_is_tried(platform_file: pathlib.Path) -> None:
    """Other selectors know."""
    assert pysmpi.simulate(_program, np=2, platform=platform_file, cfg=QUIET).best == ()


def test_a_trial_that_fails_says_why(tmp_path: pathlib.Path) -> None:
    """The process answers with the error."""
    asked = {"operation": "bcast", "hosts": ["a", "b"], "bytes": 8, "platform": str(tmp_path / "no.xml"), "cfg": {}}
    run = subprocess.run(
        [sys.executable, "-m", "pysmpi.simulation.experiments.trial"],
        input=json.dumps(asked), capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert "no.xml" in json.loads(run.stdout)["error"]
