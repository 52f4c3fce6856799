"""Tests that calibrate the network of a simulation like a real one, and recover its parameters."""

import pathlib
from typing import Any

import pytest

import pysmpi
from pysmpi.calibrate.network import COLUMNS, Extent, campaign_of, fit_table, model_document
from pysmpi.calibrate.table import read_table

pytestmark = pytest.mark.smpi  # the fits find again what SMPI's protocol has

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="node-" suffix="" radical="0-3" speed="1Gf" core="2" bw="1GBps" lat="10us"
           loopback_bw="5GBps" loopback_lat="300ns"/>
</platform>
"""
SIMULATED = {"smpi/simulate-computation": False, "smpi/grow-injected-times": False, "smpi/wtime": "1e-7",
             "smpi/iprobe": "3e-7", "smpi/test": "4e-7"}  # fmt: skip
EAGER = {
    "smpi/os": "0:1e-6:1e-10;1420:2e-6:2e-10",
    "smpi/ois": "0:3e-6:0;10000:5e-6:1e-11",
    "smpi/or": "0:2e-6:3e-10;8000:9e-6:2e-10",
    "smpi/async-small-thresh": 65536,
    "smpi/send-is-detached-thresh": 320000,
}
EXTENT = Extent(sizes=150, repetitions=1)


@pytest.fixture(scope="module")
def platform(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Return four hosts with two cores each."""
    file = tmp_path_factory.mktemp("platform") / "four.xml"
    file.write_text(PLATFORM)
    return file


def measured(file: pathlib.Path, platform: pathlib.Path, hosts: list[str], **settings: Any) -> Any:
    """Run a campaign in a simulation."""

    def program() -> None:
        from mpi4py import MPI

        campaign_of(MPI.COMM_WORLD, file, EXTENT, lambda text: None)

    pysmpi.simulate(program, np=len(hosts), platform=platform, hosts=hosts, cfg={**SIMULATED, **settings})
    return read_table(file, COLUMNS)


def test_every_parameter_is_found_again(tmp_path: pathlib.Path, platform: pathlib.Path) -> None:
    table = measured(tmp_path / "n.csv", platform, ["node-0", "node-1"], **EAGER)
    (fit,) = fit_table(table)
    assert fit.place == "inter" and fit.waits_from == 320000
    assert fit.leaves_late_from is not None and 65536 <= fit.leaves_late_from < 90_000  # the next size measured
    assert fit.polls == pytest.approx({"wtime": 1e-7, "iprobe": 3e-7, "test": 4e-7}, rel=0.01)
    for found, expected in (
        (fit.sent, [(1e-6, 1e-10), (2e-6, 2e-10)]),
        (fit.sent_at_once, [(3e-6, 0.0), (5e-6, 1e-11)]),
        (fit.received, [(2e-6, 3e-10), (9e-6, 2e-10)]),
    ):
        assert len(found) == len(expected)
        for line, (startup, per_byte) in zip(found, expected, strict=True):
            assert line.startup == pytest.approx(startup, rel=1e-3)
            assert line.per_byte == pytest.approx(per_byte, rel=1e-3, abs=1e-14)
    assert fit.network[0].startup == pytest.approx(20e-6 * 2.01467, rel=1e-3)
    assert 1 / fit.network[0].per_byte == pytest.approx(1e9 * 0.812084, rel=1e-3)
    assert fit.network[-1].startup == pytest.approx(20e-6 * 11.6436, rel=1e-3)
    assert 1 / fit.network[-1].per_byte == pytest.approx(1e9 * 0.940694, rel=1e-3)
    assert max(abs(error) for error in fit.errors.values()) < 1e-4


def test_a_simulation_with_the_settings_takes_the_times_measured(
    tmp_path: pathlib.Path, platform: pathlib.Path
) -> None:
    """Ping-pongs with the fitted settings and link take the measured times."""
    table = measured(tmp_path / "n.csv", platform, ["node-0", "node-1"], **EAGER)
    fits = fit_table(table)
    document = model_document(fits, {})
    link = document["links"]["inter"]
    file = tmp_path / "again.xml"
    file.write_text(
        PLATFORM.replace('bw="1GBps"', f'bw="{link["bandwidth"]!r}Bps"').replace(
            'lat="10us"', f'lat="{link["latency"] / 2!r}s"'
        )
    )
    again = measured(tmp_path / "again.csv", file, ["node-0", "node-1"], **document["settings"])
    (second,) = fit_table(again)
    assert second.one_way.keys() == fits[0].one_way.keys()
    for size, taken in fits[0].one_way.items():
        assert second.one_way[size] == pytest.approx(taken, rel=1e-3)


def test_defaults_have_no_overheads_and_no_eager_messages(tmp_path: pathlib.Path, platform: pathlib.Path) -> None:
    """SMPI's defaults: messages leave when they are received, and senders of 65,536 bytes wait."""
    (fit,) = fit_table(measured(tmp_path / "n.csv", platform, ["node-0", "node-3"]))
    assert (fit.waits_from, fit.leaves_late_from) == (65536, 0)
    assert fit.received == []
    assert fit.settings()["smpi/or"] == "0:0:0" and fit.settings()["smpi/async-small-thresh"] == "0"
    assert max(line(line.last) for line in fit.sent) < 1e-9
    assert max(abs(error) for error in fit.errors.values()) < 1e-4


def test_one_host_and_two_in_one_run(tmp_path: pathlib.Path, platform: pathlib.Path) -> None:
    table = measured(tmp_path / "n.csv", platform, ["node-0", "node-0", "node-1", "node-1"], **EAGER)
    inter, intra = fit_table(table)
    assert (inter.place, intra.place) == ("inter", "intra")
    document = model_document([inter, intra], {})
    assert document["settings"] == inter.settings()
    # Latencies go with factors, of which the first is 1: 20 us × 2.01467 between hosts.
    assert document["links"]["intra"]["latency"] / document["links"]["inter"]["latency"] == pytest.approx(
        0.3 / 20, rel=0.01
    )
    ratio = document["links"]["intra"]["bandwidth"] / document["links"]["inter"]["bandwidth"]
    assert ratio == pytest.approx(5, rel=0.01)
    assert document["fit"]["intra"]["largest_relative_error"] < 0.01


def test_given_breakpoints_latency_and_bandwidth(tmp_path: pathlib.Path, platform: pathlib.Path) -> None:
    table = measured(tmp_path / "n.csv", platform, ["node-0", "node-1"])
    starts = [242, 717, 1411, 3469, 5761, 9361, 15409, 65457]  # of SMPI's factors, less the envelope
    (fit,) = fit_table(table, breaks=starts, latency=20e-6, bandwidth=1e9)
    factors = [float(part.split(":")[1]) for part in fit.settings()["smpi/lat-factor"].split(";")]
    known = [2.01467, 1.95341, 1.9503, 1.61075, 1.88101, 2.18796, 2.59299, 3.48845, 11.6436]
    assert factors[: len(known)] == pytest.approx(known, rel=1e-3)


def test_an_interrupted_campaign_is_completed(tmp_path: pathlib.Path, platform: pathlib.Path) -> None:
    """A campaign that is cut off anywhere, even in the search for the threshold, ends with the same rows."""
    whole = measured(tmp_path / "n.csv", platform, ["node-0", "node-1"])
    lines = (tmp_path / "n.csv").read_text().splitlines(keepends=True)
    search = next(index for index, line in enumerate(lines) if "late_send" in line)
    for cut in (search + 4, len(lines) - 100):
        file = tmp_path / f"{cut}.csv"
        file.write_text("".join(lines[:cut]) + "inter,se")
        again = measured(file, platform, ["node-0", "node-1"])
        assert [row["bytes"] for row in again.rows] == [row["bytes"] for row in whole.rows]
        assert [fit.waits_from for fit in fit_table(again)] == [65536]
