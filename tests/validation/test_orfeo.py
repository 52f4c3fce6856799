"""Predictions of broadcasts and barriers on ORFEO: the command's contract, mappings, and parts of the model."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

VALIDATION = Path(__file__).parents[2] / "validation"


def module(folder: str, name: str) -> Any:
    """Import a module of a folder; other folders may have one of the same name."""
    for path in (VALIDATION / "osu", VALIDATION / folder):
        if str(path) not in sys.path:
            sys.path.append(str(path))
    specification = importlib.util.spec_from_file_location(f"{folder}_{name}", VALIDATION / folder / f"{name}.py")
    assert specification is not None and specification.loader is not None
    found = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(found)
    return found


orfeo = module("orfeo", "predict")


def asked(*words: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(VALIDATION / "orfeo" / "predict.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "words", ["--collective bcast --algorithm pipeline --mapping socket --size 8192", "--collective barrier"]
)
def test_the_command_prints_seconds(words: str) -> None:
    run = asked("--ranks", "6", "--json", *words.split())
    assert (run.returncode, run.stderr) == (0, "")
    assert 1e-7 < json.loads(run.stdout)["seconds"] < 1e-4


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--ranks 49", "--ranks: 49 is not between 2 and 48"),
        ("--ranks 4 --algorithm tree", "'tree' is not an algorithm of bcast (linear, chain,"),
        ("--ranks 4 --size 0", "--size: 0 is not"),
    ],
)
def test_mistakes_are_named(words: str, error: str) -> None:
    run = asked("--collective", "bcast", *words.split())
    assert run.returncode == 2 and error in run.stderr


def test_mappings() -> None:
    assert orfeo.places("core", 4) == [0, 1, 2, 3]
    assert orfeo.places("socket", 4) == [0, 12, 1, 13]
    assert orfeo.places("socket", 26)[24:] == [24, 36]
    assert orfeo.places("node", 6) == [0, 24, 12, 36, 1, 25]


def microseconds(collective: str, algorithm: str, ranks: int, size: int, *without: str, mapping: str = "core") -> float:
    (seconds,) = orfeo.predict(collective, algorithm, mapping, ranks, [size], without)
    return 1e6 * float(seconds)


@pytest.mark.parametrize(("size", "measured"), [(1, 0.2), (1024, 0.41), (8192, 1.31), (65536, 6.8), (1 << 20, 69.02)])
def test_two_ranks_take_what_was_measured(size: int, measured: float) -> None:
    """The model is made from this broadcast and from the ping-pong."""
    assert microseconds("bcast", "default", 2, size) == pytest.approx(measured, rel=0.06)


def test_the_memory_decides_for_large_messages() -> None:
    """A binomial tree of 24 ranks was measured at 1,025 us."""
    times = [microseconds("bcast", "binomial", 24, 1 << 20, *without) for without in ((), ("memory", "forwarding"))]
    assert times[0] == pytest.approx(1025.19, rel=0.15)
    assert times[1] < 0.3 * times[0]


def test_data_that_a_rank_passes_on_come_from_its_cache() -> None:
    """Between sockets, osu_latency reads what the sender has written at 3.25 GB/s, others at 15 GB/s."""
    whole, without = (
        microseconds("bcast", "pipeline", 4, 1 << 20, *steps, mapping="socket") for steps in ((), ("forwarding",))
    )
    assert orfeo.machine(()).platform.count('value="3.249e+09Bps"') == 1
    assert 2 * without < whole < 4 * without


def test_other_sockets_and_nodes_are_farther() -> None:
    times = [microseconds("bcast", "default", 2, 4096, mapping=mapping) for mapping in orfeo.MAPPINGS]
    assert times == sorted(times) and times[0] < 0.6 * times[1]
    assert microseconds("bcast", "linear", 24, 4096) > 1.05 * microseconds("bcast", "linear", 24, 4096, "levels")
