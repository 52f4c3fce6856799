"""Tests of programs with one mistake each, which --check must name by kind and lines, and of correct programs."""

import pathlib
import re

import pytest

import pysmpi
from pysmpi.errors import PysmpiError
from pysmpi.simulation.instruments.check import KINDS

HERE = pathlib.Path(__file__).parent
WRONG, RIGHT = sorted(HERE.glob("wrong/*.py")), sorted(HERE.glob("right/*.py"))


def findings_of(
    script: pathlib.Path, platform: pathlib.Path, default_ranks: int
) -> list[pysmpi.simulation.instruments.check.Finding]:
    said = re.search(r"^# ranks: (\d+)$", script.read_text(), re.M)
    ranks = int(said[1]) if said else default_ranks
    cfg = {"smpi/simulate-computation": False}
    try:
        return list(pysmpi.simulate(script, np=ranks, platform=platform, check=True, cfg=cfg).findings)
    except PysmpiError as error:
        return list(error.findings)


@pytest.fixture(autouse=True)
def own_directory(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("script", WRONG, ids=lambda path: path.stem)
def test_wrong_programs(script: pathlib.Path, platform_file: pathlib.Path) -> None:
    """Only the kind named in the program's comment is found, and only at the lines marked WRONG."""
    lines = script.read_text().splitlines()
    kind = next(line.removeprefix("# kind: ") for line in lines if line.startswith("# kind: "))
    wrong = {f"{script}:{number}" for number, line in enumerate(lines, 1) if line.endswith("# WRONG")}
    found = findings_of(script, platform_file, 2)
    if not kind.startswith("un"):  # a run that goes wrong may leave things behind
        found = [finding for finding in found if not finding.kind.startswith("un")]
    assert {finding.kind for finding in found} == {kind}, "\n".join(map(str, found))
    assert {place for finding in found for place in finding.places} == wrong, "\n".join(map(str, found))
    for finding in found:
        assert all(place in finding.text for place in finding.places)
        assert re.search(rf"\branks? .*\b{finding.ranks[0]}\b", finding.text)


@pytest.mark.parametrize("script", RIGHT, ids=lambda path: path.stem)
def test_right_programs(script: pathlib.Path, platform_file: pathlib.Path) -> None:
    assert [str(finding) for finding in findings_of(script, platform_file, 4)] == []


def test_every_kind_has_a_wrong_program() -> None:
    named = {re.search(r"^# kind: (.*)$", script.read_text(), re.M)[1] for script in WRONG}  # type: ignore[index]
    assert named == set(KINDS)
