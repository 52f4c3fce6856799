"""Needs of a study that are checked before its first simulation: watts and prices."""

import pathlib

import pytest

from pysmpi.cli.main import main

STUDY = """\
program = "program.py"
platform = "PLATFORM"
[fixed]
ranks = 2
cfg = { "smpi/simulate-computation" = "no", "plugin" = "host_energy" }
[factors.platform]
bw = ["1GBps", "2GBps"]
[prices]
node = 100
link = "bw / 1e9"
"""
WORD = "flat:2:bw={{bw}}"
XML = """\
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" bw="{{bw}}" lat="1us"/>
</platform>
"""


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "program.py").write_text("from mpi4py import MPI\nMPI.COMM_WORLD.bcast(b'x')\n")
    (tmp_path / "machine.xml").write_text(XML)
    return tmp_path


def run(folder: pathlib.Path, text: str) -> int:
    (folder / "study.toml").write_text(text)
    return main(["study", "run", str(folder / "study.toml")])


@pytest.mark.parametrize(("platform", "source"), [(WORD, "flat:2:bw=1GBps"), ("machine.xml", "machine.xml")])
def test_missing_watts_are_found_before_the_first_point(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str], platform: str, source: str
) -> None:
    assert run(folder, STUDY.replace("PLATFORM", platform)) == 2
    told = capsys.readouterr().err
    assert "study.toml:5: plugin 'host_energy', point 1: " in told
    assert f"{source}: energy was asked for, but no host has a property 'wattage_per_state'" in told
    assert "wattage_per_state=90:105:180 in a cluster in one word" in told
    assert not list((folder / "study.results" / "points").glob("*.json"))


def test_links_need_watts_too(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = STUDY.replace("PLATFORM", WORD).replace(', "plugin" = "host_energy"', "")
    text = text.replace("[prices]", 'cfg.plugin = ["link_energy", "host_energy"]\n[prices]')
    text = text.replace("[factors.platform]\nbw", "[factors]\nplatform.bw")
    assert run(folder, text) == 2
    told = capsys.readouterr().err
    assert "study.toml:8: plugin 'link_energy', point 1: " in told


def test_watts_in_one_word(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, STUDY.replace("PLATFORM", f"{WORD}:wattage_per_state=90:105:180")) == 0
    assert "2 points: 2 done" in capsys.readouterr().out
    assert main(["study", "pareto", str(folder / "study.toml"), "--against", "energy"]) == 0
    assert "energy: less is better" in capsys.readouterr().out


def test_a_machine_that_is_not_valid_fails_alone(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = STUDY.replace("PLATFORM", f"{WORD}:wattage_per_state=90:105:180").replace('"2GBps"', '"2GB"')
    text = text.replace('link = "bw / 1e9"', "link = 5")
    assert run(folder, text) == 1
    assert "1 done, 1 failed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("was", "now", "expected"),
    [
        ("node = 100", "nod = 100", "study.toml:9: prices: unknown part 'nod'; did you mean 'node'"),
        (
            "bw / 1e9",
            "bww / 1e9",
            "study.toml:10: price of a link: 'bww / 1e9': unknown factor 'bww'; did you mean 'bw'",
        ),
        ("bw / 1e9", "-bw", "study.toml:10: price of a link: '-bw' is -1e+09, not a price"),
    ],
)
def test_prices_are_checked_before_the_first_point(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str], was: str, now: str, expected: str
) -> None:
    assert run(folder, STUDY.replace("PLATFORM", WORD).replace(was, now)) == 2
    assert expected in capsys.readouterr().err


def test_a_missing_price_is_warned_of(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = STUDY.replace("PLATFORM", f"{WORD}:wattage_per_state=90:180").replace('link = "bw / 1e9"', "link = 5")
    assert run(folder, text) == 0
    assert "study.toml:7: platform.bw changes the machine but has no price; give one" in capsys.readouterr().err


def test_derived_parameters_are_listed(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        STUDY.replace("PLATFORM", "flat:{{n}}")
        .replace('bw = ["1GBps", "2GBps"]', "n = [2, 4]")
        .replace("ranks = 2\n", "")
    )
    (folder / "study.toml").write_text(text.replace("[prices]", '[derived]\nranks = "2 * platform.n"\n[prices]'))
    assert main(["study", "points", str(folder / "study.toml")]) == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["point", "replicate", "platform.n", "ranks"], ["1", "1", "2", "4"], ["2", "1", "4", "8"]
    ]  # fmt: skip


def test_levels_that_are_tables_are_refused_with_a_remedy(
    folder: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = STUDY.replace("PLATFORM", WORD).replace('["1GBps", "2GBps"]', '[{ bw = "1GBps", price = 3 }]')
    assert run(folder, text) == 2
    assert "study.toml:7: {'bw': '1GBps', 'price': 3} is a table, not one value; list values" in capsys.readouterr().err
