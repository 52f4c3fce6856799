"""Files as people publish them: each parses and runs, and gives what its plain form gives (``make published``).

The files were written for these tests after descriptions of published ones. Platforms of batsim begin with a blank
line. SimGrid's own have hosts such as "Host 26" and settings that pysmpi does not have. Generators write GOAL from NCCL
traces with tags of ten digits, and users of Extra-P write its text format. smpirun 3.32 takes 1.10795 ms for the trace.
"""

import warnings
from pathlib import Path

import pytest

import pysmpi
from pysmpi.cli.main import main
from pysmpi.errors import PlatformWarning
from pysmpi.formulas import fit, read_extrap

FILES = Path(__file__).parent / "published" / "files"
PLATFORMS = sorted(path.name for path in FILES.glob("*.xml"))
GOALS = sorted(path.name for path in FILES.glob("*.goal"))
IGNORED = {name for name in PLATFORMS if name.startswith("config_")}
"""Platforms with a setting that pysmpi reads and ignores."""


def seconds(program: str, *, platform: str = "plain.xml", hosts: str = "hosts.txt", smpi: bool = True) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PlatformWarning)
        result = pysmpi.simulate_replay(FILES / program, platform=FILES / platform, hosts=FILES / hosts, smpi=smpi)
    return result.simulated_time


@pytest.mark.parametrize("name", PLATFORMS)
@pytest.mark.filterwarnings("default::pysmpi.errors.PlatformWarning")
def test_platforms(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["platform", "check", str(FILES / name)]) == 0
    printed = capsys.readouterr()
    assert "2 hosts, 2 links; every host reaches every other" in printed.out
    assert printed.err.count("pysmpi platform: warning: ") == (name in IGNORED) and "Traceback" not in printed.err
    assert seconds("trace_index.txt", platform=name) == pytest.approx(1.10795e-3, rel=1e-5)


@pytest.mark.parametrize("hosts", ["hosts.txt", "hosts_few.txt", "hosts_zero.txt"])
@pytest.mark.filterwarnings("ignore::pysmpi.errors.PlatformWarning")
def test_hostfiles(hosts: str) -> None:
    placed = {"hosts.txt": (0, 0, 1), "hosts_few.txt": (0, 1, 0), "hosts_zero.txt": (0, 0, 1)}[hosts]
    names = ["Host 26", "Faulty Host"]
    result = pysmpi.simulate_replay(
        FILES / "trace_index.txt", platform=FILES / "plain.xml", hosts=[names[host] for host in placed], smpi=True
    )
    assert seconds("trace_index.txt", hosts=hosts) == result.simulated_time


@pytest.mark.parametrize("name", GOALS)
@pytest.mark.parametrize("smpi", [False, True])
def test_goal(name: str, smpi: bool) -> None:
    assert seconds(name, smpi=smpi) == seconds("plain.goal", smpi=smpi) > 50e-6


@pytest.mark.parametrize("name", ["extrap.json", "extrap.jsonl", "extrap.txt"])
def test_measurements(name: str) -> None:
    parameters, [series] = read_extrap(FILES / name)
    assert (parameters, series.callpath, series.metric) == (["p"], "main", "time")
    model = fit(parameters, series.points, series.means)
    assert model.form.value({"p": 128}) == pytest.approx(257.005)
