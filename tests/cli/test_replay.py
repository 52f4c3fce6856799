"""The command pysmpi replay, and pysmpirun --replay."""

import json
import pathlib

import pytest

from pysmpi.cli import run
from pysmpi.cli.main import main

TRACE = "0 init\n1 init\n0 compute 1e6\n0 send 1 0 1000\n1 recv 0 0 1000\n"


@pytest.fixture
def trace(tmp_path: pathlib.Path) -> str:
    """A file with the lines of two ranks."""
    path = tmp_path / "trace"
    path.write_text(TRACE)
    return str(path)


def test_what_it_prints(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ranks, actions, messages, simulated and wall time; each rank's end on request."""
    assert main(["replay", trace, "--platform", "flat:2:speed=1Gf", "--ranks"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("simulated time 1.0") and "wall time" in lines[0] and "to read it" in lines[0]
    assert lines[1].startswith("2 ranks, 5 actions, 1 message (1000 B), ")
    assert [line.split()[:2] for line in lines[2:]] == [["rank", "0"], ["rank", "1"]]


def test_words(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A fabric's latency is added."""
    words = ["replay", trace, "--platform", "flat:2:speed=1Gf", "--json"]
    times: list[float] = []
    for more in (["--smpi"], ["--mpi", "openmpi-5.0"], ["--mpi", "openmpi-5.0", "--fabric", "ethernet-1g"]):
        assert main([*words, *more]) == 0
        times.append(json.loads(capsys.readouterr().out)["simulated_time"])
    assert len(set(times)) == 3


def test_json(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", trace, "--platform", "flat:4:speed=1Gf", "--np", "3", "--ranks", "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert numbers["ranks"] == 3 and numbers["actions"] == 5 and numbers["messages"] == 1
    assert numbers["end_times"][0] == pytest.approx(1e-3 + 60e-9, rel=1e-12)  # a send takes 60 ns
    assert numbers["end_times"][1] == numbers["simulated_time"] > numbers["end_times"][0]


def test_json_tells_joules(tmp_path: pathlib.Path, trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A host takes 10 W more while its rank computes or is in an MPI call, which is until the rank ends."""
    platform = tmp_path / "power.xml"
    power = '<prop id="wattage_per_state" value="10:20:20"/><prop id="carbon_intensity" value="3.6e6"/>'
    platform.write_text(
        '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">'
        f'<zone id="z" routing="Full"><host id="a" speed="1Gf">{power}</host><host id="b" speed="1Gf">{power}</host>'
        '<link id="wire" bandwidth="1GBps" latency="0s"><prop id="wattage_range" value="5:5"/></link>'
        '<route src="a" dst="b"><link_ctn id="wire"/></route></zone></platform>'
    )
    words = ["replay", trace, "--platform", str(platform), "--json"]
    words += ["--cfg=plugin:host_energy", "--cfg=plugin:link_energy"]
    assert main([*words, "--ranks"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    seconds = numbers["simulated_time"]
    energy = numbers["energy"]
    busy = numbers["end_times"]
    assert energy["hosts"] == pytest.approx({"a": 10 * (seconds + busy[0]), "b": 10 * (seconds + busy[1])})
    assert energy["ranks"] == pytest.approx(list(energy["hosts"].values()))
    assert energy["joules"] == energy["grams_of_carbon_dioxide"] == pytest.approx(10 * (2 * seconds + sum(busy)))
    assert numbers["link_energy"]["links"] == pytest.approx({"wire": 5 * seconds})
    assert numbers["link_energy"]["joules"] == numbers["link_energy"]["links"]["wire"]
    assert main(words) == 0
    assert "ranks" not in json.loads(capsys.readouterr().out)["energy"]


def test_settings_count(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["replay", trace, "--platform", "flat:2:speed=1Gf", "--json", "--cfg", "smpi/simulate-computation:no"]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["simulated_time"] < 1e-3
    assert main([*words, "--cfg", "smpi/coll-selector:best"]) == 2
    assert "not supported in replays" in capsys.readouterr().err


def test_pysmpirun_replays(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With its own options, and without a program."""
    assert run.main(["--replay", trace, "-platform", "flat:2:speed=1Gf", "-map"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == ["rank 0 -> node-0", "rank 1 -> node-1"]
    assert captured.err.startswith("pysmpi: simulated time 1.0") and "2 ranks" in captured.err
    assert run.main(["--replay", trace, "-platform", "flat:2", "-np", "2", "program.py"]) == 2
    assert "--replay takes no program" in capsys.readouterr().err


def test_errors(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, with file and line, and exit status 2."""
    path = tmp_path / "trace"
    path.write_text("0 int\n")
    assert main(["replay", str(path), "--platform", "flat:2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"pysmpi replay: error: {path}:1: unknown action 'int'; did you mean 'init'?")
