"""The command pysmpi collectives."""

import json
import pathlib

import pytest

from pysmpi.cli.main import main
from pysmpi.simulation.collectives import OPERATIONS, SELECTORS, algorithms


def test_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    """All operations with the number of their algorithms, and the selectors."""
    assert main(["collectives"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == list(OPERATIONS)
    assert all(line.split()[1] == str(len(algorithms(line.split()[0]))) for line in lines[1:-1])
    assert lines[-1].endswith(", ".join(SELECTORS))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_algorithms_have_a_line_each(capsys: pytest.CaptureFixture[str], operation: str) -> None:
    """Name, rounds, bytes and shape, of plain characters."""
    assert main(["collectives", operation]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    for line, algorithm in zip(lines, algorithms(operation), strict=True):
        assert line.isascii()
        assert line.split()[0] == algorithm.name
        for text in (algorithm.rounds, algorithm.traffic, algorithm.shape):
            assert text
            assert text in line


def test_comparison(platform_file: pathlib.Path, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table with the fastest marked, the same in JSON, and a picture."""
    words = [
        "collectives",
        "gather",
        "--compare",
        "--np",
        "3",
        "--size",
        "8",
        "64KiB",
        "--platform",
        str(platform_file),
    ]
    assert main([*words, "--plot", str(tmp_path / "picture.svg")]) == 0
    table = capsys.readouterr().out
    assert "ompi_binomial" in table
    assert table.count(" *") >= 2
    assert (tmp_path / "picture.svg").exists()
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sizes"] == [8, 65536]
    assert {each["choice"] for each in found["algorithms"]} == {each.name for each in algorithms("gather")}


def test_words(capsys: pytest.CaptureFixture[str]) -> None:
    """Times follow the MPI library and the fabric."""
    words = ["collectives", "barrier", "--compare", "--np", "2", "--platform", "flat:2", "--json"]
    times: list[float] = []
    for more in ([], ["--smpi"], ["--mpi", "openmpi-5.0"], ["--mpi", "openmpi-5.0", "--fabric", "ethernet-10g"]):
        assert main([*words, *more]) == 0
        times.append(json.loads(capsys.readouterr().out)["algorithms"][0]["seconds"][0])
    assert times[0] == times[2] and len(set(times)) == 3


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["alreduce"], "allreduce"),
        (["bcast", "--np", "4"], "--np"),
        (["bcast", "--smpi"], "--smpi"),
        (["bcast", "--compare", "--np", "4"], "--size is missing"),
        (["bcast", "--compare", "--np", "4", "--platform", "x.xml"], "--size is missing"),
        (["bcast", "--compare", "--np", "4", "--platform", "x.xml", "--size", "8 parsecs"], "parsecs"),
        (["bcast", "--compare", "--np", "4", "--platform", "flat:4", "--size", "8", "--cfg", "nonsense"], "KEY:VALUE"),
    ],
)
def test_errors_say_what_is_valid(capsys: pytest.CaptureFixture[str], words: list[str], what: str) -> None:
    """Exit status 2 and one line."""
    assert main(["collectives", *words]) == 2
    assert what in capsys.readouterr().err
