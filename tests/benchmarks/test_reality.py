"""Tests of the comparison of real runs with their simulation: the programs, and parsing of their output."""

import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import pysmpi
from pysmpi.compute.blas import load
from pysmpi.platform import read

ROOT = pathlib.Path(__file__).resolve().parents[2]
REALITY = ROOT / "benchmarks" / "reality"


def module(suite: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch, name: str) -> Any:
    monkeypatch.syspath_prepend(str(REALITY))
    return suite(name)


def test_every_program_reports_its_time(suite: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    """A small simulated run of each kind, with the campaign's model, takes a positive time."""
    run = module(suite, monkeypatch, "run")
    campaign = ROOT / "calibration" / "epyc_2_cores"
    simulator = [sys.executable, "-P", "-m", "pysmpi.cli.run", "--quiet", "--platform", f"{campaign}/platform.xml"]
    small = [
        run.Program(2, f"{run.PROGRAMS}/ping_pong.py 8 3", run.CASES["ping-pong of 8 B"].seconds),
        run.Program(2, f"{run.PROGRAMS}/allreduce.py 1 3", run.CASES["allreduce of 8 B"].seconds),
        run.Program(2, "apps/jacobi/jacobi.py 40 3", run.CASES["stencil 400, 500 sweeps"].seconds),
        run.linpack(2, 100),
    ]
    for program in small:
        blas = f"--blas={campaign}/blas.json"
        assert run.seconds_of(program, [*simulator, blas, "-np", str(program.ranks)]) > 0
    with pytest.raises(SystemExit, match="exit status"):
        run.seconds_of(run.Program(1, "none.py", "x"), [*simulator, "-np", "1"])


def test_an_unknown_program_is_refused() -> None:
    command = [sys.executable, str(REALITY / "run.py"), "calibration/epyc_2_cores", "ping-pang"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2 and re.search(r"no program 'ping-pang'; there are ping-pong of 8 B", done.stderr)


def test_taurus(suite: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> None:
    """Platform and model go together: a core's speed is that of dgemm, so that times hold as they were measured."""
    taurus = module(suite, monkeypatch, "taurus")
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
    few, more = (taurus.predicted(ranks, order=1200) for ranks in (12, 24))
    assert min(*few, *more) > 0
    least = 2 / 3 * 1200**3 / (12 * model.speed)  # all cores do nothing but dgemm
    assert few[0] > least
