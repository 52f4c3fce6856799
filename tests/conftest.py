"""Fixtures that run small programs: in this process for their output, as a command for exit status and errors."""

import collections
import os
import pathlib
import subprocess
import sys
import textwrap
import types
from collections.abc import Callable, Sequence
from typing import Any

import hypothesis
import pytest

import pysmpi
from pysmpi.simulation.launch.binding import bind
from pysmpi.simulation.settings.layers import SMPI_VARIABLE

os.environ.pop("OMP_NUM_THREADS", None)  # ranks would compute with as many threads
pysmpi.use()  # whichever test comes first imports mpi4py
hypothesis.settings.register_profile("tests", deadline=None)  # an example may be slow where the machine is busy
hypothesis.settings.load_profile("tests")

SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")
LIMIT = 600 if SANITIZED else 100  # seconds that a command may take


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with the marker ``both_modes`` with the defaults and with SMPI's."""
    if metafunc.definition.get_closest_marker("both_modes"):
        metafunc.fixturenames.append("mode")
        metafunc.parametrize("mode", ["defaults", pytest.param("smpi", marks=pytest.mark.smpi)])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Choose SMPI's defaults, also for child processes, if the test has the marker ``smpi``; otherwise the users' ones.

    Skip tests of memory under AddressSanitizer, which keeps what is freed, and is loaded into child processes.
    """
    if item.get_closest_marker("memory") and SANITIZED:
        pytest.skip("AddressSanitizer keeps memory")
    if item.get_closest_marker("smpi"):
        os.environ[SMPI_VARIABLE] = "yes"
    else:
        os.environ.pop(SMPI_VARIABLE, None)


PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node" suffix="" radical="0-7" speed="1Gf" core="16" bw="1GBps" lat="10us"/>
</platform>
"""

CLUSTER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-7" speed="1Gf" bw="1GBps" lat="10us"/>
</platform>
"""


@pytest.fixture(scope="session")
def cluster_file(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A cluster of eight nodes with a core each."""
    file = tmp_path_factory.mktemp("platform") / "cluster.xml"
    file.write_text(CLUSTER)
    return file


@pytest.fixture(scope="session")
def platform_file(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Eight hosts node0 to node7 with sixteen cores each."""
    path = tmp_path_factory.mktemp("platform") / "eight.xml"
    path.write_text(PLATFORM)
    return path


@pytest.fixture(scope="session")
def MPI() -> types.ModuleType:
    """Return the module mpi4py.MPI, bound to the simulator."""
    return bind()


@pytest.fixture(scope="session")
def run_ranks(MPI: types.ModuleType) -> Callable[..., list[Any]]:
    """Run a function of MPI and its arguments in several ranks, and return their results."""
    platforms = pathlib.Path(__file__).resolve().parents[1] / "platforms"

    def run(function: Callable[..., Any], ranks: int, *arguments: Any) -> list[Any]:
        cfg = {"smpi/simulate-computation": "no"}
        platform = platforms / ("cluster.xml" if ranks <= 128 else "fattree.xml")
        return pysmpi.simulate(function, np=ranks, platform=platform, cfg=cfg, args=(MPI, *arguments)).values

    return run


@pytest.fixture
def lines_of(
    platform_file: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[int, list[str]]]:
    """Run a script on some ranks and return the lines that each rank has printed."""

    def run(source: str, np: int = 3, **settings: Any) -> dict[int, list[str]]:
        script = tmp_path / "program.py"
        script.write_text(textwrap.dedent(source))
        settings.setdefault("cfg", {"smpi/simulate-computation": False})
        capsys.readouterr()
        pysmpi.simulate(script, np=np, platform=platform_file, label=True, **settings)
        lines = collections.defaultdict(list)
        for line in capsys.readouterr().out.splitlines():
            label, _, text = line.partition("] ")
            lines[int(label.removeprefix("["))].append(text)
        return dict(lines)

    return run


@pytest.fixture
def pysmpirun(platform_file: pathlib.Path, tmp_path: pathlib.Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command in a directory of its own; a program's source is written to program.py there."""

    def run(
        *words: str,
        source: str | None = None,
        platform: str | None = None,
        environment: dict[str, str] | None = None,
        stdin: str = "",
        python: Sequence[str] = (sys.executable,),
    ) -> subprocess.CompletedProcess[str]:
        if source is not None:
            (tmp_path / "program.py").write_text(textwrap.dedent(source))
        command = [*python, "-m", "pysmpi.cli.run"]
        command += ["--platform", platform or str(platform_file), *words]
        variables = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))} | (environment or {})
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=variables,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )

    return run
