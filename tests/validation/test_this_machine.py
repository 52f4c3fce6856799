"""Tests of the comparison of real runs with their simulation: the programs, and parsing of their output."""

import importlib.util
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPARE = ROOT / "validation" / "this_machine" / "compare.py"
specification = importlib.util.spec_from_file_location("this_machine_compare", COMPARE)
assert specification is not None and specification.loader is not None
run = importlib.util.module_from_spec(specification)
specification.loader.exec_module(run)


def test_every_program_reports_its_time() -> None:
    """A small simulated run of each kind, with the campaign's model, takes a positive time."""
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["calibration/epyc_2_cores", "ping-pang"], "no program 'ping-pang'; there are ping-pong of 8 B"),
        (["calibration/taurus"], "calibration/taurus has no platform.xml; give a folder with the models"),
    ],
)
def test_wrong_arguments_are_refused(words: list[str], message: str) -> None:
    done = subprocess.run([sys.executable, COMPARE, *words], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 2 and message in done.stderr
