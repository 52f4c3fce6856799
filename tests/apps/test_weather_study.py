"""Tests of the study in apps/weather: stored points, figures, verdicts and the page about them."""

import gzip
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import predictions
import pytest
import verdicts
from catalogue import FIGURES, point, points
from points import GRID, Point
from quotes import fill
from results import Results
from study import STORED, simulate
from thinning import MESSAGE, thin_grid

from pysmpi.errors import LaunchError

ROOT = pathlib.Path(__file__).parents[2]
STUDY = ROOT / "apps" / "weather" / "study.py"
CHEAP = 150
"""Ranks of points that are simulated again."""


def study(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(STUDY), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


@pytest.fixture(scope="module")
def stored() -> list[dict[str, Any]]:
    return list(Results(STORED))


def test_stored_points_are_points_of_the_figures(stored: list[dict[str, Any]]) -> None:
    places = {(outcome["ranks"], outcome["model"]) for outcome in stored}
    known = {each for count, model in places for name in FIGURES for each in points(name, count, model)}
    assert len({Point.stored(outcome) for outcome in stored}) == len(stored)
    for outcome in stored:
        made = Point.stored(outcome)
        assert made in known or replace(made, delays=None) in known, "a point that is in no figure"
        assert Point.of(made.options()) == made
        assert {name: outcome[name] for name in made.description} == made.description
        if outcome["model"] in {"packets", "flows"} and outcome["floor"] is not None:  # LogGPS knows no cables
            drawn = outcome["settings"].get("routing") == "valiant"  # the floor is the mean of many draws
            assert outcome["seconds"] > outcome["floor"] * (0.99 if drawn else 1)
        assert outcome["seconds"] is None or outcome["seconds"] == sum(part["seconds"] for part in outcome["parts"])


@pytest.mark.parametrize(
    "pattern",
    ["allreduce", "halo", "transposition", pytest.param("halo", marks=pytest.mark.smpi, id="under PYSMPI_SMPI")],
)
def test_stored_points_come_out_again(pattern: str, stored: list[dict[str, Any]]) -> None:
    """The cheapest points of each pattern and model have the same times, to the bit."""
    again = {}
    for outcome in stored:
        if outcome["pattern"] == pattern and outcome["ranks"] < CHEAP and "delays" not in outcome:
            again.setdefault((outcome["machine"], outcome["model"]), outcome)
    assert again
    for outcome in list(again.values())[:2]:
        settings = outcome["settings"]
        words = [f"--{name}={value}" for name, value in settings.items() if not isinstance(value, list)]
        words += [f"--cfg={value}" for value in settings["cfg"]]
        words += ["--grid", *settings["grid"]] if "grid" in settings else []
        named = [f"--{name}={outcome[name]}" for name in ("machine", "ranks", "cx", "cy", "model")]
        done = study("--point", pattern, *named, *words, "--json")
        notice = "pysmpi: no simulated progress for "  # of a slow machine, such as one with sanitizers
        assert [line for line in done.stderr.splitlines() if not line.startswith(notice)] == []
        assert json.loads(done.stdout) == {name: value for name, value in outcome.items() if name != "figures"}


def test_all_figures_are_drawn_from_stored_points(tmp_path: pathlib.Path) -> None:
    names = ["5a", "5b", "5c", "5d", "5e", "5f", "7", "8a", "8b", "8c", "9a", "9b", "9c", "9d", "10a", "10b", "10c"]
    assert set(names) <= set(FIGURES)
    done = study(*(word for name in names for word in ("--figure", name)), "-o", tmp_path / "new")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == sorted(f"figure_{name}.png" for name in names)


def test_points_are_stored_once(tmp_path: pathlib.Path) -> None:
    words = ["--figure", "10b", "--points", 4, "--results", tmp_path / "results.json", "-o", tmp_path]
    done = study(*words)
    assert done.stderr.startswith("0 of 3 points done")
    assert "not stored: torus-L on 100, 300" in done.stdout
    first = (tmp_path / "results.json").read_text()
    assert {row["machine"] for row in json.loads(first)} == {"torus-L", "fattree-L", "dragonfly-ML"}
    again = study(*words)
    assert (again.returncode, again.stderr) == (0, "")
    assert (tmp_path / "results.json").read_text() == first


def test_a_killed_study_goes_on(tmp_path: pathlib.Path) -> None:
    file, folder = tmp_path / "results.json", tmp_path / "results.json.points"
    words = ["--figure", "10b", "--points", "4", "--results", str(file), "-o", str(tmp_path)]
    running = subprocess.Popen([sys.executable, str(STUDY), *words], stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL, start_new_session=True)  # fmt: skip
    deadline = time.monotonic() + 60
    while not list(folder.glob("points/*.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    before = {path: path.read_bytes() for path in folder.glob("points/*.json")}
    assert before
    assert not file.exists()
    done = study(*words)
    assert done.stderr.startswith(f"{len(before)} of 3 points done")
    assert len(list(Results(file))) == 3
    assert {path: path.read_bytes() for path in before} == before


def test_stored_files(tmp_path: pathlib.Path, stored: list[dict[str, Any]]) -> None:
    file = tmp_path / "results.json.gz"
    results = Results(file)
    results.add({Point.stored(outcome): outcome for outcome in stored[:3]})
    assert json.loads(gzip.decompress(file.read_bytes())) == list(Results(file)) == stored[:3]
    before = file.read_bytes()
    results.add({})
    assert file.read_bytes() == before
    file.write_bytes(before[:-1])
    with pytest.raises(LaunchError, match=r"results\.json\.gz: not a list of outcomes: cannot expand .*name another"):
        Results(file)


def test_a_point_that_reports_delays_stands_for_the_same_without(tmp_path: pathlib.Path) -> None:
    wanted = Results(tmp_path / "mine.json").missing(["5e", "8b"], [100], "packets")
    assert len(wanted) == 4 and all(each.delays for each in wanted)


def test_failed_points_are_named(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = Results(tmp_path / "results.json")
    wanted = results.missing(["5b"], [100], "packets")
    assert [made.machine for made in wanted] == ["torus-M", "fattree-M", "dragonfly-MM"]
    assert simulate(results, [replace(wanted[0], bandwidth="fast")], 1) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("transposition torus-M 100 10 10 packets fast 100ns ")
    assert "'fast'" in said
    assert list(results) == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--figure 5g", "unknown figure '5g'"),
        ("", "--point PATTERN or --figure F is required"),
        ("--point halo", "--point needs --machine"),
        ("--point halo --machine torus-L --ranks 4 --delays 2 --model flows", "needs --model packets"),
    ],
)
def test_wrong_command_lines(words: str, reason: str) -> None:
    done = study(*words.split())
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert reason in done.stderr


def test_delays_are_shares_of_all_packets() -> None:
    grid = "--grid 64 48 16 --ranks 16 --machine dragonfly-MM --json"
    plain = json.loads(study("--point", "transposition", *grid.split()).stdout)
    found = json.loads(study("--point", "transposition", *grid.split(), "--delays", 4).stdout)
    assert found["seconds"] == plain["seconds"]
    assert found["settings"]["delays"] == 4
    assert sum(found["delays"]) == pytest.approx(1)
    assert [len(row) for row in found["pairs"]] == [4] * 4


def test_thin_grids_keep_messages_long() -> None:
    for ranks in (100, 1000, 10_000):
        made = point(ranks, "packets", pattern="transposition", machine="torus-M")
        assert made is not None
        assert made.scale == GRID[0] / made.sizes[0] > 1
        assert made.message_cost * made.scale == pytest.approx(5e-7)
        assert made.sizes[0] % made.cx == made.sizes[0] % made.cy == 0
        assert 8 * made.sizes[0] // made.cx * (GRID[1] // made.cy) * (GRID[2] // max(made.cx, made.cy)) > 0
    assert thin_grid("transposition", 250, 400, 20, "100ns") == GRID
    slow = thin_grid("halo", 100, 50, 3, "10us")
    assert 3 * (GRID[0] // 100) * slow[2] * 8 >= 10 * MESSAGE or slow == GRID


def test_quotes() -> None:
    results = Results(STORED)
    text, found = fill("a {5a|ring-4|1000} b {5a|bruck|1000 : 5a|ring-4|1000}", results)
    assert re.fullmatch(r"a [0-9.]+ m?s b [0-9.]+", text)
    assert [len(row["from"]) for row in found] == [1, 2]
    assert found[0]["from"][0] == found[1]["from"][1]
    with pytest.raises(LaunchError, match="no stored point of figure 5a, ring-9, 1000 ranks, packets"):
        fill("{5a|ring-9|1000}", results)


def test_verdicts_page_and_points_agree(stored: list[dict[str, Any]]) -> None:
    """The page has the verdicts that the stored points give, and each quoted figure is one of a stored point."""
    page = verdicts.PAGE.read_text()
    results = Results(STORED)
    found = verdicts.verdicts(results)
    assert verdicts.with_tables(page, found, results) == page
    assert list(found) == [f"C{number}" for number in range(1, 18)]
    values = {name: {json.dumps(row.get(name)) for row in stored} for name in ("seconds", "floor", "delays")}
    for name, row in found.items():
        assert row["verdict"] in {"confirmed", "refuted", "depends"}
        line = next(line for line in page.splitlines() if line.startswith(f"| {name} |"))
        assert line.split(" | ")[2] == row["verdict"]
        for figure in row["figures"]:
            assert figure["quote"] in line
            for source in figure["from"]:
                assert any(json.dumps(source[kind]) in values[kind] for kind in values if kind in source)


@pytest.mark.parametrize(
    ("seconds", "place"),
    [
        ([8, 4, 2, 1], None),
        ([8, 4, 1, 6, 3, 2], 2),
        ([8, 1, 6, 0.5, 0.4, 0.3], None),  # one rise, which is over
        ([8, 1, 6, 0.5, 5, 4, 3, 2, 1], 3),
        ([8, 4, 2, 1, 3], 3),
        ([8, 4, 2, 1, 1.05], None),
        ([8], None),
        ([], None),
    ],
)
def test_where_a_curve_stops_to_fall(seconds: list[float], place: int | None) -> None:
    ranks = [100, 300, 1000, 3000, 10_000, 20_000, 30_000, 50_000, 100_000][: len(seconds)]
    found = predictions.stops(list(zip(ranks, seconds, strict=True)))
    assert found == (None if place is None else ranks[place])


def test_predictions_say_what_is_simulated(
    stored: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["verdicts.py", "--json"])
    assert verdicts.main() == 0
    kept = json.loads(capsys.readouterr().out)
    halo = {row["ranks"]: row["seconds"] for row in stored
            if (row["pattern"], row["machine"], row["model"]) == ("halo", "torus-L", "packets")}  # fmt: skip
    assert kept["C14"]["torus_L_simulated"] == sorted(halo)
    assert {ranks for ranks, _ in kept["C14"]["torus_L"]} > set(halo)
    places = [[(row["machine"], row["routing"]) for row in kept["C5"][name]] for name in ("minima", "minima_simulated")]
    assert places[0] == places[1]
    assert set(kept["C16"]["order_simulated"]) <= set(kept["C16"]["order"]) == {"100000", "1000000"}
