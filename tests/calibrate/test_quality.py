"""Calibrations that are refused: busy machines, values that no machine has, bad fits, and what --force does."""

import json
import math
import os
import pathlib
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pysmpi
from pysmpi.calibrate import busy
from pysmpi.calibrate.assembly import Check
from pysmpi.calibrate.commands.main import main
from pysmpi.calibrate.quality import accepted, check_used, problems
from pysmpi.errors import CalibrationError
from pysmpi.platform import read
from pysmpi.simulation.compute.blas import load_table
from pysmpi.simulation.compute.noise_model import load_noise
from pysmpi.simulation.instruments.calibration_quality import errors_in_platform

FOLDER = pathlib.Path(__file__).parents[2] / "calibration" / "epyc_2_cores"
FREE = {"smpi/simulate-computation": "no"}


def shipped(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return document


def nonsense() -> dict[str, Any]:
    """A network as it was measured at load 22."""
    document = shipped("network")
    document["provenance"]["load when it began"] = "22.63 21.42 18.15"
    document["links"]["intra"] = {"latency": 0.00038, "bandwidth": 3.89e22}
    document["fit"]["intra"] |= {"median_relative_error": 0.27, "largest_relative_error": 17.5}
    return document


@pytest.mark.parametrize("name", ["host", "node"])
def test_stored_measurements_give_the_stored_models(name: str, tmp_path: pathlib.Path) -> None:
    """Also network and blas, whose fits take longer."""
    model = tmp_path / f"{name}.json"
    assert main([name, "--from", str(FOLDER / f"{name}.csv.gz"), "--output", str(model)]) == 0
    assert model.read_bytes() == (FOLDER / f"{name}.json").read_bytes()


POWER = {"format": "pysmpi-power-1", "wattage_per_state": "90:100:180", "provenance": {}, "fit": {"medians": {}}}
NOISE = {"format": "pysmpi-noise-model-1", "machine": "m", "date": "d", "rate": 10.0, "lengths": [1e-5, 2e-5]}


@pytest.mark.parametrize("name", ["network", "node", "host", "blas"])
def test_sound_calibrations_are_accepted(name: str) -> None:
    document = shipped(name)
    assert problems(document) == []
    assert accepted(document, force=True) is document
    assert problems(POWER) == problems(NOISE) == []


def with_value(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed = json.loads(json.dumps(document))
    *outer, last = path.split(".")
    place = changed
    for key in outer:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[int(last) if isinstance(place, list) else last] = value
    return dict(changed)


@pytest.mark.parametrize(
    ("document", "path", "value", "expected"),
    [
        (shipped("network"), "links.intra.bandwidth", 3.9e22, "bandwidth of the link 'intra' is 3.9e+22 bytes/s"),
        (shipped("network"), "links.intra.latency", -1e-6, "latency of the link 'intra' is -1e-06 s"),
        (shipped("network"), "links.intra.latency", math.nan, "links.intra.latency is nan, not a finite number"),
        (shipped("network"), "settings.smpi/bw-factor", "0:1e-12", "setting smpi/bw-factor is 1e-12"),
        (shipped("network"), "settings.smpi/os", "0:-1e-6:0", "numbers must be finite and not negative"),
        (shipped("network"), "settings.smpi/or", "0:nan:0", "numbers must be finite and not negative"),
        (
            shipped("network"),
            "fit.intra.largest_relative_error",
            17.5,
            "the largest error is 1750 % (at most 100 %)",
        ),
        (shipped("network"), "fit.intra.median_relative_error", 0.7, "intra: the median error is 70% (at most 50%)"),
        (
            shipped("network"),
            "provenance.load when it began",
            "22.6 1 1",
            "on a busy machine: load average 22.6",
        ),
        (shipped("node"), "one_way.core.3", [256, 1e3], "time of 256 bytes at level 'core' is 1000 s"),
        (shipped("node"), "one_way.core.8", [262144, 1e-9], "bandwidth of 262144 bytes at level 'core'"),
        (shipped("host"), "speed", 1e20, "speed is 1e+20 flop/s"),
        (shipped("host"), "speed", math.inf, "speed is inf, not a finite number"),
        (shipped("host"), "settings.smpi/memory-bandwidth", "131072:1e30", "setting smpi/memory-bandwidth is 1e+30"),
        (shipped("blas"), "speed", 3.0, "speed is 3 flop/s"),
        (shipped("blas"), "routines.dgemm.fit.largest_relative_error", 9.0, "dgemm: the largest error is 900 %"),
        (POWER, "wattage_per_state", "90:100:1e9", "wattage_per_state is 1e+09 W"),
        (POWER, "wattage_per_state", "90:80:50", "90 W idle, but 50 W with all cores busy, which is less"),
        (NOISE, "rate", 1e9, "rate is 1e+09 detours/s"),
        (NOISE, "lengths", [1.0], "detours take 10 s for each second of computation"),
    ],
)
def test_each_kind_is_judged(document: dict[str, Any], path: str, value: Any, expected: str) -> None:
    """Files that were measured badly or edited by hand: each problem is named with its limit."""
    changed = with_value(document, path, value)
    assert any(expected in text for text in problems(changed)), problems(changed)
    with pytest.raises(CalibrationError, match=r"the calibration is refused: .*--force writes it in any case"):
        accepted(changed, force=False)
    with pytest.raises(CalibrationError, match=r"^x\.json: .*--force uses it in any case"):
        check_used("x.json", changed, force=False)
    forced = accepted(changed, force=True)
    assert any(expected in text for text in forced["forced"])
    assert check_used("x.json", forced, force=False) == forced["forced"]


def test_a_malformed_file_is_named() -> None:
    with pytest.raises(CalibrationError, match=r"x\.json: a value is missing or malformed"):
        check_used("x.json", {"format": "pysmpi-network-1"}, force=False)


def test_a_nonsense_network_makes_no_platform(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reproduction: 380 us and 38,900 EB/s, accepted with status 0."""
    network = tmp_path / "network.json"
    network.write_text(json.dumps(nonsense()))
    words = [
        "platform",
        "--network",
        str(network),
        "--speed",
        "47e9",
        "--cores",
        "2",
        "--output",
        str(tmp_path / "p.xml"),
    ]
    assert main(words) == 2
    assert "because no link or memory of a host moves 10 TB/s" in capsys.readouterr().err
    assert not (tmp_path / "p.xml").exists()
    assert main([*words, "--force"]) == 0
    result = pysmpi.simulate(_exchange, np=2, platform=tmp_path / "p.xml", cfg=FREE)
    (line,) = (note.text for note in result.notes if note.headline == "a calibration was forced")
    assert line.startswith("a calibration was written by --force: ")
    assert "3.89e+22" in line and "simulated ping-pongs differ from the measured ones by up to" in line
    assert result.forced


def _exchange() -> None:
    from mpi4py import MPI

    MPI.COMM_WORLD.allreduce(1)


def test_a_platform_must_reproduce_its_input(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plausible link that was edited by hand contradicts the measurements: status 1, and no platform."""
    network = tmp_path / "network.json"
    network.write_text(json.dumps(with_value(shipped("network"), "links.intra.latency", 1e-4)))
    words = [
        "platform",
        "--network",
        str(network),
        "--speed",
        "47e9",
        "--cores",
        "2",
        "--output",
        str(tmp_path / "p.xml"),
    ]
    assert main(words) == 1
    told = capsys.readouterr().err
    assert "intra: simulated ping-pongs differ from the measured ones by up to" in told
    assert "p.xml was not written, because it does not reproduce its input" in told
    assert not (tmp_path / "p.xml").exists()
    assert (tmp_path / "p.txt").exists()
    network.write_text((FOLDER / "network.json").read_text())
    assert main(words) == 0
    assert Check("intra", (1,), (1.0,), (math.nan,)).beyond(0.0)


def test_a_run_carries_the_errors_of_its_calibration(tmp_path: pathlib.Path) -> None:
    words = ["--network", str(FOLDER / "network.json"), "--speed", "47e9", "--cores", "2"]
    assert main(["platform", *words, "--output", str(tmp_path / "p.xml")]) == 0
    platform = read(str(tmp_path / "p.xml"))
    errors = errors_in_platform(platform)
    assert errors is not None
    assert -0.02 < errors[0] < 0 < errors[1] < 0.02
    (term,) = pysmpi.simulate(_exchange, np=2, platform=platform, cfg=FREE).error_terms
    assert term.kind == "MPI with several ranks a host"
    assert term.seen is not None
    assert "the platform's calibration: -" in term.seen.compared
    text = (tmp_path / "p.xml").read_text()
    wide = re.sub('"calibration_errors" value="[^"]*"', '"calibration_errors" value="-9:0"', text)
    (tmp_path / "wide.xml").write_text(wide)
    (term,) = pysmpi.simulate(_exchange, np=2, platform=tmp_path / "wide.xml", cfg=FREE).error_terms
    assert term.seen is not None
    assert term.seen.low == -9


def test_a_run_carries_the_error_of_its_blas_model(tmp_path: pathlib.Path) -> None:
    def program() -> None:
        np.ones((300, 300)) @ np.ones((300, 300))

    blas = tmp_path / "blas.json"
    for error, low in ((0.3, -0.3), (0.001, -0.09)):
        path = "routines.dgemm.fit.median_relative_error"
        blas.write_text(json.dumps(with_value(shipped("blas"), path, error)))
        (term,) = pysmpi.simulate(program, np=1, platform="flat:1", blas=blas, cfg=FREE).error_terms
        assert term.kind == "BLAS by a model"
        assert term.seen is not None
        assert term.seen.low == low
        assert f"the model's own fit, in the median: {-error:+.1%} to {error:+.1%}" in term.seen.compared


def test_models_written_by_force_say_so(tmp_path: pathlib.Path) -> None:
    noise, blas = tmp_path / "noise.json", tmp_path / "blas.json"
    noise.write_text(json.dumps({**NOISE, "forced": ["a reason"]}))
    assert load_noise(noise).forced == ("a reason",)
    blas.write_text(json.dumps({**shipped("blas"), "forced": ["another reason"]}))
    assert load_table(blas).forced == ("another reason",)

    def program() -> None:
        pysmpi.execute(0.1)

    result = pysmpi.simulate(program, np=1, platform="flat:1", blas=blas, cfg={**FREE, "smpi/noise": str(noise)})
    assert sorted(result.forced) == [f"{blas}: another reason", f"{noise}: a reason"]


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    def load(a_core: float) -> None:
        average = a_core * (os.cpu_count() or 1)
        monkeypatch.setattr(busy.os, "getloadavg", lambda: (average, average, average))

    return load


@pytest.mark.parametrize("part", ["host", "noise", "blas"])
def test_nothing_is_measured_on_a_busy_machine(
    part: str, loaded: Callable[[float], None], tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded(11.0)
    assert main([part, "--quick", "--output", str(tmp_path / "model.json")]) == 2
    told = capsys.readouterr().err
    assert "the machine is busy: load average " in told and "11.00 a core (at most 1); running: " in told
    assert not list(tmp_path.iterdir())


def test_the_load_of_a_machine(loaded: Callable[[float], None]) -> None:
    loaded(0.9)
    assert busy.busy_text() == ""
    loaded(1.1)
    assert "1.10 a core" in busy.busy_text()
    assert pysmpi.simulate(busy.busy_text, np=1, platform="flat:1").values == [""]
