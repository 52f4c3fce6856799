"""Tests of assembled calibrations, whose simulation must reproduce the measurements."""

import json
import pathlib
from typing import Any

import pytest

import pysmpi
from pysmpi.calibrate.assembly import check_platform, platform_text, read_parts
from pysmpi.calibrate.commands.main import main
from pysmpi.calibrate.network import COLUMNS, Extent, campaign_of, fit_table, model_document
from pysmpi.calibrate.table import read_table
from pysmpi.errors import CalibrationError, PlatformError
from pysmpi.platform import read

pytestmark = pytest.mark.smpi  # the fits find again what SMPI's protocol has

SIMULATED = {"smpi/simulate-computation": False, "smpi/grow-injected-times": False, "smpi/os": "0:1e-6:1e-10",
             "smpi/async-small-thresh": 65536, "smpi/or": "0:2e-6:3e-10"}  # fmt: skip


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Return a model calibrated inside a host and between two hosts of a simulated cluster."""
    folder = tmp_path_factory.mktemp("network")

    def program() -> None:
        from mpi4py import MPI

        campaign_of(MPI.COMM_WORLD, folder / "n.csv", Extent(sizes=150, repetitions=1), lambda text: None)

    platform = "flat:4:bandwidth=1GBps:latency=10us:loopback_bandwidth=5GBps:loopback_latency=300ns"
    pysmpi.simulate(program, np=3, platform=platform, hosts=["node-0", "node-0", "node-1"], cfg=SIMULATED)
    table = read_table(folder / "n.csv", COLUMNS)
    (folder / "network.json").write_text(json.dumps(model_document(fit_table(table), table.provenance)))
    return folder / "network.json"


@pytest.fixture
def others(tmp_path: pathlib.Path) -> dict[str, pathlib.Path]:
    """Return small models of the other parts."""
    documents: dict[str, dict[str, Any]] = {
        "host": {"format": "pysmpi-host-1", "speed": 3e9, "cores": 12, "provenance": {"host": "a--b"},
                 "settings": {"smpi/memory-bandwidth": "131072:5e+10;1048576:1e+10"}},
        "power": {"format": "pysmpi-power-1", "wattage_per_state": "94.75:120.75:214.75", "provenance": {}},
    }  # fmt: skip
    for name, document in documents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    return {name: tmp_path / f"{name}.json" for name in documents}


@pytest.mark.parametrize("topology", ["flat:8", "fattree:2/4,4/1,2/1,1", "torus:3,3", "flat:2:name=c"])
def test_ping_pongs_take_what_was_measured(network: pathlib.Path, tmp_path: pathlib.Path, topology: str) -> None:
    parts = read_parts(network, speed=1e9)
    (tmp_path / "p.xml").write_text(platform_text(parts, topology, None))
    checks = check_platform(tmp_path / "p.xml", parts)
    assert [check.place for check in checks] == ["inter", "intra"]
    for check in checks:
        assert abs(check.errors).max() < 0.01, check


def test_a_single_host(network: pathlib.Path, tmp_path: pathlib.Path, others: dict[str, pathlib.Path]) -> None:
    parts = read_parts(network, host=others["host"], power=others["power"])
    (tmp_path / "p.xml").write_text(platform_text(parts, None, None))
    (host,) = read(str(tmp_path / "p.xml")).hosts
    assert (host.speeds[0], host.cores) == (3e9, 12)
    assert host.properties["wattage_per_state"] == "94.75:120.75:214.75"
    assert host.properties["memory-bandwidth"] == "131072:5e+10;1048576:1e+10"
    (check,) = check_platform(tmp_path / "p.xml", parts)
    assert check.place == "intra" and abs(check.errors).max() < 0.01


def test_the_speed_is_the_blas_models(network: pathlib.Path, others: dict[str, pathlib.Path]) -> None:
    example = pathlib.Path(__file__).parents[3] / "calibration" / "example_blas.json"
    assert read_parts(network, host=others["host"], blas=example).speed == 4e10
    assert read_parts(network, host=others["host"], blas=example, speed=5.0).speed == 5.0


def test_the_command(network: pathlib.Path, tmp_path: pathlib.Path, others: dict[str, pathlib.Path]) -> None:
    words = ["--network", str(network), "--host", str(others["host"]), "--power", str(others["power"])]
    assert main(["platform", *words, "--topology", "flat:16", "--output", str(tmp_path / "p.xml")]) == 0
    report = (tmp_path / "p.txt").read_text()
    assert "inter: ping-pongs simulated beside those measured" in report and "pysmpirun -np N --platform" in report
    assert (tmp_path / "p.png").stat().st_size > 1000
    assert len(read(str(tmp_path / "p.xml")).hosts) == 16


def test_what_does_not_go_together(
    network: pathlib.Path, tmp_path: pathlib.Path, others: dict[str, pathlib.Path]
) -> None:
    with pytest.raises(CalibrationError, match="the speed of a core is unknown; give --blas, --host or --speed"):
        read_parts(network)
    with pytest.raises(CalibrationError, match=r"host\.json: format 'pysmpi-host-1' is not valid here"):
        read_parts(others["host"], speed=1.0)
    with pytest.raises(CalibrationError, match=r"cannot read '.*none.json'"):
        read_parts(tmp_path / "none.json", speed=1.0)
    document = json.loads(network.read_text())
    document["links"]["inter"]["latency"] = 0
    (tmp_path / "bad.json").write_text(json.dumps(document))
    with pytest.raises(CalibrationError, match=r"bad\.json: links is missing or malformed .0 is not above zero"):
        read_parts(tmp_path / "bad.json", speed=1.0)
    parts = read_parts(network, speed=1.0)
    with pytest.raises(CalibrationError, match="bandwidth is measured; remove it from 'flat:4:bw=1GBps'"):
        platform_text(parts, "flat:4:bw=1GBps", None)
    with pytest.raises(CalibrationError, match="the topology has only one host; remove the option"):
        platform_text(parts, "flat:1", None)
    with pytest.raises(PlatformError, match="unknown topology 'flad'"):
        platform_text(parts, "flad:4", None)
    parts.links.pop("intra")
    with pytest.raises(CalibrationError, match="messages inside a host were not measured"):
        platform_text(parts, None, None)
    parts.links.clear()
    with pytest.raises(CalibrationError, match="messages between hosts were not measured"):
        platform_text(parts, "flat:4", None)
