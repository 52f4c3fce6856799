"""Replicas of a run, from Python and on the command line."""

import functools
import json
import pathlib
import random
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import LaunchError, SimulationError
from pysmpi.platform import Cluster

Command = Callable[..., subprocess.CompletedProcess[str]]

CFG = {"smpi/simulate-computation": "no", "smpi/wtime": "0"}
state = [0]


def drawing() -> float:
    """Take a random time, which the program also reports; change an object of the caller's process."""
    state[0] += 1
    seconds = 1 + random.random()
    pysmpi.execute(seconds)
    MPI.COMM_WORLD.Barrier()
    pysmpi.report(seconds=seconds)
    return seconds


@pytest.fixture
def model(tmp_path: pathlib.Path) -> pathlib.Path:
    """A model whose dgemm takes a second, with noise."""
    fit = {"measurements": 9, "r_squared": 1, "largest_relative_error": 0,
           "range": {size: [1, 9] for size in "mnk"}}  # fmt: skip
    noise = {"distribution": "half-normal", "deviation": {"1": 0.2}}
    file = tmp_path / "model.json"
    file.write_text(
        json.dumps(
            {
                "format": "pysmpi-blas-model-1",
                "machine": "m",
                "library": "l",
                "date": "2026-11-23",
                "speed": 1e9,
                "routines": {"dgemm": {"seconds": {"1": 1.0}, "noise": noise, "fit": fit}},
            }
        )
    )
    return file


def multiplying() -> None:
    for _ in range(3):
        np.ones((2, 2)) @ np.ones((2, 2))
        MPI.COMM_WORLD.Barrier()


def test_replicas_are_the_runs_with_these_seeds() -> None:
    """Replicas are to the bit the runs with their seeds, and leave the objects of this process alone."""
    run: Callable[..., Any] = functools.partial(pysmpi.simulate, drawing, np=2, platform=Cluster(2), cfg=CFG)
    again: Callable[..., Any] = functools.partial(pysmpi.replicate, drawing, 4, np=2, platform=Cluster(2), cfg=CFG)
    state[0] = 0
    found = again(seed=7)
    assert state[0] == 0
    single = [run(seed=seed) for seed in range(7, 11)]
    assert found.simulated_time.values == tuple(each.simulated_time for each in single)
    assert found.figures["seconds"].values == tuple(each.reported["seconds"] for each in single)
    assert [each.seed for each in found.each] == [7, 8, 9, 10]
    assert len(set(found.simulated_time.values)) == 4
    assert again(seed=7, parallel=3) == found


def test_noise_of_a_model_and_a_switch(model: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Noise is drawn again in each replica; a switch applies to all. Only the first one writes files."""
    run: Callable[..., Any] = functools.partial(
        pysmpi.replicate, multiplying, 5, np=4, platform=Cluster(4), cfg=CFG, blas=model
    )
    times = run(trace_ti=tmp_path / "trace").simulated_time
    assert len(set(times.values)) == 5 and times.low < times.median < times.high
    assert run(what_if="speed*2").simulated_time.median < 0.6 * times.median


def test_errors() -> None:
    run: Callable[..., Any] = functools.partial(pysmpi.replicate, np=1, platform=Cluster(1), cfg=CFG)
    for wrong in (0, -1, 2.0, True, "2"):
        for name in ("count", "parallel"):
            with pytest.raises(LaunchError, match=re.escape(f"{name} = {wrong!r} is not valid; give a whole number")):
                run(drawing, **{"count": 2, name: wrong})
    with pytest.raises(SimulationError, match=r"replica 1 \(seed 5\) failed: the program ended with exit status 3"):
        run(lambda: sys.exit(3), 2, seed=5)
    with pytest.raises(SimulationError, match=r"replica 1 \(seed 0\) failed: rank 0 .* raised ZeroDivisionError"):
        run(lambda: 1 / 0, 3)


SOURCE = """
    import random, sys
    import pysmpi
    from mpi4py import MPI
    draw = random.random()
    pysmpi.execute(draw)
    MPI.COMM_WORLD.barrier()
    print("rank", MPI.COMM_WORLD.rank)
    sys.exit(3 if draw < float(sys.argv[1]) else 0)
"""
UNTIMED = ("--cfg=smpi/simulate-computation:no", "--cfg=smpi/wtime:0")


def test_on_the_command_line(pysmpirun: Command, tmp_path: pathlib.Path) -> None:
    """Only the first replica prints and writes files; the others are listed, and the table comes last."""
    run = pysmpirun(
        "-np", "2", "--seed", "4", "--replicas", "3", "--parallel", "2", "--trace", "trace.json", *UNTIMED,
        "program.py", "0", source=SOURCE,
    )  # fmt: skip
    assert (run.returncode, run.stdout) == (0, "rank 0\nrank 1\n")
    assert (tmp_path / "trace.json").exists()
    lines = [line for line in run.stderr.splitlines() if line.startswith("pysmpi: ")]
    assert sum("wall time" in line for line in lines) == 1
    assert [line.partition(": simulated")[0] for line in lines if "pysmpi: replica" in line] == [
        "pysmpi: replica 2 of 3 (seed 5)",
        "pysmpi: replica 3 of 3 (seed 6)",
    ]
    assert lines[-4] == "pysmpi: 3 replicas, seeds 4 to 6"
    assert lines[-3].split() == ["pysmpi:", "figure", "median", "interval"]
    assert lines[-2].startswith("pysmpi: simulated time  ") and lines[-2].endswith("%")
    again = pysmpirun("-np", "2", "--seed", "4", "--replicas", "3", "--quiet", *UNTIMED, "program.py", "0")
    assert again.stderr.splitlines() == lines[-4:]


def test_replicas_that_fail(pysmpirun: Command) -> None:
    """A failed replica is left out of the table; if the first one fails, the others do not run."""
    words = ("-np", "1", "--quiet", "--replicas", "4", *UNTIMED, "program.py")
    run = pysmpirun("--seed", "5", *words, "0.5", source=SOURCE)  # seed 8 draws less than 0.5
    assert run.returncode == 1 and "pysmpi: replica 4 of 4 (seed 8): failed: the exit status is 3" in run.stderr
    assert "pysmpi: 4 replicas, seeds 5 to 8, 1 of them failed" in run.stderr and "probability of 50%" in run.stderr
    run = pysmpirun(*words, "1", source=SOURCE)
    assert run.returncode == 3 and "pysmpirun: the first replica failed: the exit status is 3" in run.stderr
    assert "seeds" not in run.stderr


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--replicas", "0"], "option --replicas: '0' is too small (valid: 1 or more)"),
        (["--replicas", "1.5"], "option --replicas: '1.5' is not a whole number (valid: 1 or more)"),
        (["--parallel", "0"], "option --parallel: '0' is too small (valid: 1 or more)"),
        (["--replicas", "2", "--pdb", "0"], "--replicas runs a program several times, and --pdb is for one run"),
        (["--replicas", "2", "--what-if", "links*2"], "--what-if runs a program several times, and --replicas is"),
    ],
)
def test_command_lines_that_cannot_be(pysmpirun: Command, words: list[str], what: str) -> None:
    run = pysmpirun("-np", "2", *words, "program.py", "0", source=SOURCE)
    assert run.returncode == 2 and what in run.stderr and not run.stdout
