"""Predictions of collectives on Alaska and CSD3: the command's contract, places of ranks, and parts of the model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

VALIDATION = Path(__file__).parents[2] / "validation"
ALLREDUCE = ["--system", "alaska-ib", "--collective", "allreduce"]


def asked(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(VALIDATION / "alaska" / "predict.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def seconds(*words: str) -> float:
    run = asked(*words, "--json")
    assert (run.returncode, run.stderr) == (0, "")
    return float(json.loads(run.stdout)["seconds"])


@pytest.mark.parametrize("collective", ["allreduce", "allgather", "alltoall"])
@pytest.mark.parametrize(("system", "mpi"), [("alaska-roce", "intel"), ("csd3", "openmpi")])
def test_the_command_prints_seconds(system: str, mpi: str, collective: str) -> None:
    words = ["--system", system, "--mpi", mpi, "--collective", collective, "--ranks", "6", "--size", "8192"]
    assert 5e-6 < seconds(*words) < 1e-3


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--ranks 65 --size 8", "--ranks: 65 is not between 2 and 64"),
        ("--size 0", "--size: 0 is not a number of bytes"),
    ],
)
def test_mistakes_are_named(words: str, error: str) -> None:
    run = asked(*ALLREDUCE, *words.split())
    assert run.returncode == 2 and error in run.stderr


def test_the_network_decides_between_two_ranks() -> None:
    """An exchange of 64 KiB takes about half a round trip, in which both directions do not disturb each other."""
    words = ["--collective", "allgather", "--ranks", "2", "--size", "65536"]
    times = [seconds("--system", system, *words) for system in ("alaska-ib", "alaska-roce")]
    assert times == pytest.approx([11.25e-6, 26.95e-6], rel=0.15)


def test_a_large_allreduce_needs_each_part_of_the_model() -> None:
    """An allreduce of 1 MiB on 64 ranks was measured at 3,731 us."""
    words = [*ALLREDUCE, "--size", str(1 << 20)]
    whole = seconds(*words)
    assert whole == pytest.approx(3730.69e-6, rel=0.15)
    assert seconds(*words, "--without", "memory") < 0.4 * whole
    assert seconds(*ALLREDUCE, "--size", "4096", "--without", "reductions") < 0.97 * seconds(
        *ALLREDUCE, "--size", "4096"
    )


def test_rules_of_open_mpi_and_places_of_ranks_count() -> None:
    """An allreduce of 64 KiB was measured at 256 us."""
    words = [*ALLREDUCE, "--size", "65536"]
    whole = seconds(*words)
    assert whole == pytest.approx(256.17e-6, rel=0.15)
    assert seconds(*words, "--without", "rules") > 2 * whole
    assert seconds(*words, "--without", "sockets") < 0.95 * whole
