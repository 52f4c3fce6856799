"""Predictions of the public campaign on LUMI, MareNostrum 5 and Fugaku: series, program, and effects of the terms.

The extraction of the campaign is tested with a made-up repository.
"""

import csv
import importlib.util
import io
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "validation" / "pico"


def module(name: str) -> Any:
    """Import a module of the folder as pico_NAME. Other folders have modules of the same names."""
    specification = importlib.util.spec_from_file_location(f"pico_{name}", FOLDER / f"{name}.py")
    assert specification is not None and specification.loader is not None
    found = importlib.util.module_from_spec(specification)
    sys.modules[f"pico_{name}"] = found
    specification.loader.exec_module(found)
    return found


pico = module("predict")
extraction = module("extract")
SERIES = {tuple(one[:4]): one for one in pico.series()}


def errors(machine: str, nodes: str, collective: str, algorithm: str, sizes: list[int], *options: str) -> list[float]:
    one = SERIES[machine, nodes, collective, algorithm]
    asked = one._replace(times={size: one.times[size] for size in sizes})
    return [seconds / one.times[size] - 1 for size, seconds in pico.predict(asked, options).items()]


def test_the_open_part() -> None:
    assert sum(len(one.times) for one in SERIES.values()) == 760
    assert {one.machine for one in SERIES.values()} == pico.MACHINES.keys()


@pytest.mark.parametrize(
    ("machine", "nodes", "collective", "algorithm", "sizes", "most"),
    [
        ("lumi", "16", "allgather", "NTSLR", [256, 131072, 67108864], 0.16),
        ("lumi", "8", "allreduce", "lr", [1048576, 67108864], 0.3),
        ("mare_nostrum", "32", "bcast", "openmpi_binomial", [8388608, 536870912], 0.1),
        ("mare_nostrum", "32", "allreduce", "rdb", [8388608, 67108864, 536870912], 0.35),
        ("fugaku", "2x2x2", "allreduce", "rdb", [1048576, 67108864], 0.35),
    ],
)
def test_errors(machine: str, nodes: str, collective: str, algorithm: str, sizes: list[int], most: float) -> None:
    assert max(map(abs, errors(machine, nodes, collective, algorithm, sizes))) < most


def test_without_arithmetic_large_allreduces_are_too_fast() -> None:
    terms = ["--cfg=smpi/reduction-bandwidth:0", "--cfg=smpi/copy-bandwidth:0"]
    with_terms = errors("lumi", "8", "allreduce", "rdb", [67108864])
    without = errors("lumi", "8", "allreduce", "rdb", [67108864], *terms)
    assert without[0] < -0.5 < with_terms[0]


def test_a_failed_prediction_shows_its_output() -> None:
    one = next(iter(SERIES.values()))
    with pytest.raises(RuntimeError, match="unknown collective 'none'"):
        pico.predict(one._replace(collective="none", algorithm="default"))


LISTED = "timestamp,test_id,nnodes,tasks_per_node,collective_type,mpi_lib,mpi_lib_version"
FIRST, SECOND, OTHER = "2025_04_07___16_14_21", "2025_04_07___16_33_47", "2025_03_27___19_15_25"
LUMI = {FIRST: "8", SECOND: "8", OTHER: "16"}
FUGAKU = {"2025_03_26___19_49_06": "2x2x2"}
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def archive(file: Path, series: Mapping[str, Sequence[object]]) -> None:
    with tarfile.open(file, "w:gz") as archived:
        for name, lines in series.items():
            text = "".join(f"{line}\n" for line in ("highest", *lines)).encode()
            entry = tarfile.TarInfo(f"{file.name.removesuffix('.tar.gz')}/0/{name}_int32.csv")
            entry.size = len(text)
            archived.addfile(entry, io.BytesIO(text))


def repository(folder: Path, runs: Mapping[str, Mapping[str, Sequence[object]]]) -> Path:
    """Make a repository with allreduces of some runs, and the lists of all runs of LUMI and Fugaku."""
    results = folder / "results"
    for machine, listed, library in (("lumi", LUMI, "CRAY_MPICH,8.1.29"), ("fugaku", FUGAKU, "FJMPI,4.0.1")):
        (results / machine).mkdir(parents=True)
        lines = [LISTED, *(f"{run},0,{nodes},1,ALLREDUCE,{library}" for run, nodes in listed.items())]
        (results / f"{machine}_metadata.csv").write_text("\n".join(lines) + "\n")
        for run in listed.keys() & runs.keys():
            archive(results / machine / f"{run}.tar.gz", runs[run])
    author = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "Made up"]):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


def extracted(folder: Path, runs: Mapping[str, Mapping[str, Sequence[object]]]) -> list[dict[str, str]]:
    found, errors = extraction.extract(repository(folder, runs), "HEAD")
    # The made-up repository is without the other runs.
    assert all(run not in str(error) for run in runs for error in errors)
    text = io.StringIO(newline="")
    extraction.write(found, text)
    return list(csv.DictReader(io.StringIO(text.getvalue(), newline="")))


def around(nanoseconds: int) -> list[int]:
    """Return two long durations, which are not to count, and 18 around the given one."""
    return [9 * nanoseconds, 9 * nanoseconds, *range(nanoseconds - 170, nanoseconds + 190, 20)]


@needs_git
def test_runs_and_labels_with_the_same_messages_are_one_row(tmp_path: Path) -> None:
    labels = ("1024_rabenseifner_over", "1024_rabenseifner_mpich", "1024_default_mpich", "1024_bine_lat_over")
    runs = {FIRST: dict(zip(labels, map(around, (40000, 42000, 60000, 1)), strict=True)),
            SECOND: {"1024_rabenseifner_over": around(50000)}}  # fmt: skip
    default, joined = extracted(tmp_path, runs)
    assert (default["algorithm"], default["series"], default["iterations"]) == ("default", "1", "20")
    # There are 18 durations in steps of 0.02 us. The median is the mean of numbers 8 and 9; the quartiles are 4 and 13.
    assert (default["median_us"], default["q1_us"], default["q3_us"]) == ("60.0", "59.91", "60.09")
    assert joined == {"machine": "lumi", "library": "CRAY_MPICH 8.1.29", "collective": "allreduce",
                      "algorithm": "rab_rdb", "labels": "rabenseifner_mpich+rabenseifner_over", "ranks": "8",
                      "nodes": "8", "ranks_per_node": "1", "bytes": "4096", "median_us": "42.0", "q1_us": "39.91",
                      "q3_us": "50.09", "state": "clean", "series": "3", "iterations": "60"}  # fmt: skip


@needs_git
def test_the_last_line_of_fugaku_counts_as_no_time(tmp_path: Path) -> None:
    times = [9000, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, "Average runtime: 0.000001"]
    (one,) = extracted(tmp_path, {"2025_03_26___19_49_06": {"1024_default-ring": times}})
    assert (one["nodes"], one["ranks"], one["median_us"], one["iterations"]) == ("2x2x2", "8", "1.0", "11")
    assert (one["q1_us"], one["q3_us"]) == ("1.0", "1.01")


@needs_git
@pytest.mark.parametrize(
    ("label", "nanoseconds"),
    [
        ("1024_rabenseifner_mpich", around(50100)),  # as the default, so without effect
        ("4_ring_over", around(30000)),  # 4 elements for 16 ranks
        ("1024_ring_over", [30000, 30000] + 9 * [30000, 45000]),  # quartiles apart
        ("1024_ring_over", 11 * [30000] + 9 * [40000]),  # halves apart
        ("1024_unknown_over", around(30000)),
    ],
)
def test_unreliable_series_are_left_out(tmp_path: Path, label: str, nanoseconds: list[int]) -> None:
    series = {"1024_default_mpich": around(50000), "1024_recursive_doubling_over": around(50100), label: nanoseconds}
    found = extracted(tmp_path, {OTHER: series})
    assert [one["labels"] for one in found] == ["default_mpich", "recursive_doubling_over"]


@needs_git
def test_a_point_with_different_runs_is_left_out(tmp_path: Path) -> None:
    runs = {FIRST: {"64_ring_over": around(40000), "128_ring_over": around(40000)},
            SECOND: {"64_ring_over": around(59000), "128_ring_over": around(61000)}}  # fmt: skip
    assert [(one["bytes"], one["median_us"]) for one in extracted(tmp_path, runs)] == [("256", "49.5")]


@needs_git
def test_missing_archives_are_named(tmp_path: Path) -> None:
    made_up = repository(tmp_path / "repository", {FIRST: {"1024_ring_over": around(40000)}})
    command = [sys.executable, "-P", str(FOLDER / "extract.py"), str(made_up), "-o", str(tmp_path / "table.csv")]
    run = subprocess.run([*command, "--commit", "HEAD"], capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert f"extract.py: results/lumi/{OTHER}.tar.gz: not in " in run.stderr
    assert "results/mare_nostrum_metadata.csv: not in " in run.stderr
    assert FIRST not in run.stderr
    assert len((tmp_path / "table.csv").read_text().splitlines()) == 2
    # The commit of the campaign is not in the made-up repository.
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert f"at commit {extraction.COMMIT[:7]}" in run.stderr
