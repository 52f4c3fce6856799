"""Predictions of Linpack on Taurus: the command's contract, platform and model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import pysmpi
from pysmpi.platform import read
from pysmpi.simulation.compute.blas import load

ROOT = Path(__file__).resolve().parents[2]
PREDICT = ROOT / "validation" / "taurus" / "predict.py"


def asked(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, str(PREDICT), *words], capture_output=True, text=True, check=False)


def test_the_command_prints_seconds_and_kilojoules() -> None:
    run = asked("--ranks", "24", "--n", "2000", "--json")
    assert (run.returncode, run.stderr) == (0, "")
    found = json.loads(run.stdout)
    speed = load(ROOT / "calibration" / "taurus" / "blas.json").speed
    assert 2 / 3 * 2000**3 / (24 * speed) < found["seconds"] < 10  # all cores do nothing but dgemm
    assert 100 < 1e3 * found["kilojoules"] / found["seconds"] / 2 < 250  # watts of a node


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--ranks 13", "--ranks: 13 is not a multiple of 12 between 12 and"),
        ("--ranks 0", "--ranks: 0 is not"),
        ("--ranks 12 --n 0", "--n: 0 is not"),
    ],
)
def test_mistakes_are_named(words: str, error: str) -> None:
    run = asked(*words.split())
    assert run.returncode == 2 and error in run.stderr


def test_platform_and_model_go_together() -> None:
    """A core's speed is that of dgemm, so that times hold as they were measured."""
    platform, model = read(str(ROOT / "platforms" / "taurus.xml")), load(ROOT / "calibration" / "taurus" / "blas.json")
    assert len(platform.hosts) == 16 and {host.cores for host in platform.hosts} == {12}
    dgemm = model.routines["dgemm"].seconds({"m": 1, "n": 1, "k": 1})
    assert platform.hosts[0].speeds[0] == model.speed == pytest.approx(2 / dgemm, rel=1e-6)
    assert platform.route(platform.hosts[0], platform.hosts[15]).latency == pytest.approx(48e-6)
    one_core = pysmpi.simulate(
        pysmpi.execute, np=1, platform=platform, hosts=["taurus-10"], args=(1.0,), cfg={"plugin": "host_energy"}
    )
    assert one_core.energy is not None
    assert one_core.energy.of("taurus-10") == pytest.approx(133.0, rel=1e-3)
