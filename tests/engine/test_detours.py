"""Detours of the operating system: rate, lengths, seeds, and settings that are not valid."""

import json
import math
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from mpi4py import MPI

import pysmpi
from pysmpi.errors import ConfigurationError
from pysmpi.platform import Cluster
from pysmpi.simulation.launch.summary import summary

Write = Callable[..., pathlib.Path]


@pytest.fixture
def noise(tmp_path: pathlib.Path) -> Write:
    """Write a model of 100 detours a second, of 1 and 3 ms, with changed keys; None removes a key."""

    def write(**changed: Any) -> pathlib.Path:
        whole = {"format": "pysmpi-noise-model-1", "machine": "some", "date": "2026-11-23", "rate": 100,
                 "lengths": [1e-3, 3e-3], **changed}  # fmt: skip
        file = tmp_path / "noise.json"
        file.write_text(json.dumps({name: value for name, value in whole.items() if value is not None}))
        return file

    return write


def run(program: Callable[..., Any], file: pathlib.Path | None, np: int = 1, **more: Any) -> pysmpi.Result:
    cfg = {"smpi/simulate-computation": "no", "smpi/wtime": 0}
    if file is not None:
        cfg["smpi/noise"] = str(file)
    return pysmpi.simulate(program, np=np, platform=Cluster(np, speed=1e9), cfg=cfg, **more)


def computing(pieces: int, seconds: float) -> float:
    """Compute, in pieces between two readings of the clock; return the time of the whole."""
    begin = MPI.Wtime()
    for _ in range(pieces):
        pysmpi.execute(seconds / pieces)
        MPI.Wtime()
    return MPI.Wtime() - begin


def test_pieces_meet_the_same_detours(noise: Write) -> None:
    """A second of computation with 100 detours of 2 ms in the mean takes a fifth longer; ranks differ."""
    whole = run(computing, noise(), np=8, args=(1, 1.0))
    pieces = run(computing, noise(), np=8, args=(64, 1.0))
    assert pieces.values == pytest.approx(whole.values, rel=1e-12)
    assert pieces.detours.count == whole.detours.count
    assert pieces.detours.seconds == pytest.approx(whole.detours.seconds)
    assert len(set(whole.values)) == 8
    assert sum(whole.values) == pytest.approx(8.0 + whole.detours.seconds)
    assert 700 < whole.detours.count < 900 and 1.3 < whole.detours.seconds < 1.9
    assert f"noise: {whole.detours.count} detours of " in summary(whole, verbose=True)
    for value in whole.values:  # each detour takes 1 or 3 ms
        assert (value - 1) * 1e3 == pytest.approx(round((value - 1) * 1e3))


@pytest.mark.parametrize("seconds", [90.0, 110.0])
def test_many_detours_are_drawn_at_once(noise: Write, seconds: float) -> None:
    """Above 10,000 detours, the sum is drawn; mean and deviation are those of the sum of all."""
    result = run(computing, noise(), np=16, args=(1, seconds))
    deviation = math.sqrt(16 * seconds * 100 * 5e-6)
    assert abs(result.detours.seconds - 16 * seconds * 0.2) < 4 * deviation
    assert len(set(result.values)) == 16
    assert result.detours.count == pytest.approx(16 * seconds * 100, rel=0.01)


def test_seeds(noise: Write) -> None:
    """Equal seeds give equal times to the bit; other seeds draw other detours; without a model there are none."""
    first = run(computing, noise(), np=2, args=(3, 1.0))
    assert first.values == run(computing, noise(), np=2, args=(3, 1.0)).values
    assert first.values != run(computing, noise(), np=2, args=(3, 1.0), seed=1).values
    none = run(computing, None, args=(3, 1.0))
    assert none.values == [pytest.approx(1.0)] and none.detours.count == 0
    assert "noise" not in summary(none, verbose=True)


def test_waiting_meets_no_detours(noise: Write) -> None:
    """The model has no effect on a program that only communicates or sleeps, and the result says so."""

    def program() -> None:
        pysmpi.sleep(10.0)
        MPI.COMM_WORLD.Barrier()

    result = run(program, noise(), np=2)
    assert result.simulated_time == run(program, None, np=2).simulated_time
    assert result.without_effect == [f"smpi/noise:{noise()}: no computation met a detour"]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"format": "pysmpi-noise-model-2"}, "format: unknown format 'pysmpi-noise-model-2' (valid: pysmpi-noise"),
        ({"machine": ""}, "machine: '' is not a non-empty string"),
        ({"rate": 0}, "rate: 0 is not valid; give a finite number of detours a second, above 0"),
        ({"rate": True}, "rate: True is not valid"),
        ({"lengths": []}, "lengths: [] is not a list of at least one length"),
        ({"lengths": [1e-3, -1]}, "lengths[1]: -1 is not valid; give a finite number of seconds, above 0"),
        ({"lengths": [float("inf")]}, "lengths[0]: inf is not valid"),
        ({"lengths": None}, "'lengths' is missing (needed: format, machine, date, rate, lengths)"),
        ({"rates": 1}, "unknown key 'rates'; did you mean 'rate'"),
    ],
)
def test_files_that_are_not_valid(noise: Write, changed: dict[str, Any], what: str) -> None:
    file = noise(**changed)
    with pytest.raises(ConfigurationError, match=re.escape(f"{file}: {what}")):
        run(computing, file, args=(1, 1.0))


def test_files_that_are_not_there(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot read the noise model '.*nowhere': No such file"):
        run(computing, tmp_path / "nowhere", args=(1, 1.0))


def test_replays_refuse_it(noise: Write, tmp_path: pathlib.Path) -> None:
    (tmp_path / "actions").write_text("0 init\n0 finalize\n")
    (tmp_path / "traces").write_text("actions\n")
    with pytest.raises(ConfigurationError, match="smpi/noise has no effect on replays"):
        pysmpi.simulate_replay(tmp_path / "traces", np=1, platform=Cluster(1), cfg={"smpi/noise": str(noise())})
