"""Tests of apps/transposition: data placement, real data under pysmpirun, and the study's results at a small scale."""

import json
import math
import pathlib
import subprocess
import sys

import machines
import numpy as np
import pytest
import slabs
import study
import sweep
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = pathlib.Path(__file__).parents[2]
PROGRAM = ROOT / "apps" / "transposition" / "transposition.py"
RESULTS = ROOT / "docs" / "exascale" / "results.json"
MPIEXEC = pathlib.Path(sys.executable).parent / "mpiexec"
FAT_TREE = "fattree:2/5,16/1,5/1,1"  # as many cables up as down; rows of 4 or 8 ranks lie across switches of 5 hosts


def pysmpirun(ranks: int, arguments: str, *settings: str, platform: str = FAT_TREE) -> str:
    """Run transposition.py in a simulation, and return what it prints."""
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", str(ranks), "--platform", platform]
    command += [f"--cfg={setting}" for setting in settings]
    result = subprocess.run([*command, str(PROGRAM), *arguments.split()], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def exchanged(moves: list[slabs.Move], fields: list[np.ndarray]) -> list[np.ndarray]:
    packed = [move.pack(field) for move, field in zip(moves, fields, strict=True)]
    starts = [np.cumsum([0, *move.send_counts]) for move in moves]
    received = []
    for rank, move in enumerate(moves):
        blocks = [data[start[rank] : start[rank + 1]] for data, start in zip(packed, starts, strict=True)]
        assert [len(block) for block in blocks] == move.receive_counts
        received.append(move.unpack(np.concatenate(blocks).reshape(move.received_shape)))
    return received


@given(grid=st.tuples(*[st.integers(1, 9)] * 3), cx=st.integers(1, 5), cy=st.integers(1, 5))
@settings(deadline=None)
def test_what_arrives_is_the_part_of_the_grid(grid: tuple[int, int, int], cx: int, cy: int) -> None:
    """Both moves turn numpy's parts of any grid into numpy's parts, also where there are fewer points than parts."""
    whole = slabs.whole_grid(grid)
    places = {(i, j): slabs.Place(grid, cx, cy, i, j) for i in range(cx) for j in range(cy)}
    fields = {key: whole[place.columns()] for key, place in places.items()}
    for j in range(cy):
        row = [places[i, j] for i in range(cx)]
        moved = exchanged([place.columns_to_rows() for place in row], [fields[place.i, j] for place in row])
        for place, field in zip(row, moved, strict=True):
            assert np.array_equal(field, whole[place.rows()])
            fields[place.i, j] = field
    for i in range(cx):
        column = [places[i, j] for j in range(cy)]
        moved = exchanged([place.rows_to_slices() for place in column], [fields[i, place.j] for place in column])
        for place, field in zip(column, moved, strict=True):
            assert np.array_equal(field, whole[place.slices()])


@pytest.mark.parametrize(
    ("ranks", "arguments", "algorithm"),
    [
        (16, "--cx 4 --cy 4 --grid 16 12 8", "two-sided-ring-1"),
        (16, "--cx 4 --cy 4 --grid 16 12 8 --alltoall", "two-sided-ring-4"),
        (16, "--cx 16 --cy 1 --grid 29 17 31", "two-sided-ring-4"),
        (15, "--cx 5 --cy 3 --grid 4 2 3", "burst"),
        (1, "--cx 1 --cy 1 --grid 3 2 1", "two-sided-ring-4"),
    ],
)
def test_data_is_right(ranks: int, arguments: str, algorithm: str) -> None:
    operation = "alltoall" if "--alltoall" in arguments else "alltoallv"
    output = pysmpirun(ranks, f"{arguments} --check", f"smpi/{operation}:{algorithm}")
    assert output.endswith("data right\n")


@pytest.mark.skipif(not MPIEXEC.exists(), reason="no mpiexec beside this interpreter: pip install mpich")
def test_data_is_right_for_real() -> None:
    command = [str(MPIEXEC), "-n", "4", sys.executable, str(PROGRAM), "--cx", "2", "--cy", "2", "--check"]
    command += ["--grid", "7", "5", "3", "--allreduces", "2"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith("data right\n")


def test_wrong_number_of_ranks() -> None:
    command = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "-np", "5", "--platform", FAT_TREE, str(PROGRAM)]
    result = subprocess.run([*command, "--cx", "2", "--cy", "2"], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert result.stderr.count("--cx 2 × --cy 2 is not the number of ranks, 5") == 1


def test_transpositions_at_a_small_scale() -> None:
    arguments = "--cx 8 --cy 8 --grid 2048 2048 64 --json"
    seconds = {}
    for name, setting, more in (
        ("two-sided-ring-1", "smpi/alltoallv:two-sided-ring-1", ""),
        ("two-sided-ring-4", "smpi/alltoallv:two-sided-ring-4", ""),
        ("bruck", "smpi/alltoall:bruck", " --alltoall"),
    ):
        outcome = json.loads(pysmpirun(64, arguments + more, sweep.MODEL, setting))
        seconds[name] = outcome["columns to rows"] + outcome["rows to slices"]
    assert seconds["two-sided-ring-4"] < 0.9 * seconds["two-sided-ring-1"]
    assert seconds["bruck"] > 1.4 * seconds["two-sided-ring-4"]


def test_radices_at_a_small_scale() -> None:
    seconds = {
        radix: json.loads(
            pysmpirun(
                64,
                f"--cx 8 --cy 8 --no-transpositions --allreduces {sweep.ALLREDUCES} --json",
                sweep.MODEL,
                *sweep.overhead_settings(sweep.OVERHEADS[0]),
                f"smpi/allreduce:recursive-{radix}",
            )
        )["allreduce"]
        for radix in (2, 4, 64)
    }
    assert min(seconds, key=lambda radix: seconds[radix]) == 4


def test_what_the_page_says() -> None:
    """The committed outcomes are the whole study's, and the statements of docs/exascale.md hold for them."""
    outcomes = study.load(RESULTS)
    points = {point.key(): point for point in study.points()}
    assert outcomes.keys() == points.keys()
    transpositions: dict[tuple[object, ...], dict[str, float]] = {}
    allreduces: dict[tuple[object, ...], dict[str, float]] = {}
    for key, point in points.items():
        group = (point.machine, point.ranks, point.routing, point.overhead, point.grid)
        (allreduces if point.grid is None else transpositions).setdefault(group, {})[point.algorithm] = sum(
            outcomes[key].values()
        )
    for (_, _, _, _, grid), seconds in transpositions.items():
        assert seconds["two-sided-ring-4"] < seconds["two-sided-ring-1"]
        if grid == sweep.GRID and "bruck" in seconds:
            assert 2 < seconds["bruck"] / seconds["two-sided-ring-4"] < 4.5
    whole = {group[:3]: seconds for group, seconds in transpositions.items() if group[4] == sweep.GRID}
    assert whole["dragonfly", 1024, "valiant"]["two-sided-ring-4"] < 0.96 * whole["dragonfly", 1024, "valiant"]["burst"]
    assert whole["dragonfly", 1024, None]["two-sided-ring-4"] < 1.001 * whole["dragonfly", 1024, None]["burst"]
    assert whole["torus", 1024, None]["two-sided-ring-4"] > 1.06 * whole["torus", 1024, None]["burst"]
    assert whole["fat tree", 1024, None]["two-sided-ring-4"] > 1.13 * whole["fat tree", 1024, None]["burst"]
    for (*_, overhead, _), seconds in allreduces.items():
        if len(seconds) > 1:
            best = min(seconds, key=lambda name: seconds[name])
            assert best in {0.5e-6: ("recursive-3", "recursive-4"), 0.1e-6: ("recursive-6", "recursive-8")}[overhead]


def test_machines_hold_the_ranks() -> None:
    """Each machine has a host for each rank; a torus no more than it needs, and odd sizes."""
    assert len(machines.machine("fat tree", 4096).build().hosts) == 25**4
    assert len(machines.machine("dragonfly", 4096).build().hosts) == 25**4
    for ranks in (1, 25, 26, 1024, 4096):
        sizes = machines.torus_sizes(math.ceil(ranks / machines.HOSTS))
        assert all(size % 2 == 1 for size in sizes)
        assert math.prod(sizes) * machines.HOSTS >= ranks
        assert len(machines.machine("torus", ranks).build().hosts) == math.prod(sizes) * machines.HOSTS


def test_torus_routes_are_shortest() -> None:
    """A message crosses as many cables as switches differ in each dimension, the shorter way round, and two more."""
    platform = machines.torus((3, 5, 5)).build()
    for number, (x, y, z) in {0: (0, 0, 0), 1: (1, 0, 0), 3 * 3: (0, 3, 0), 3 * 5 * 4 + 3 * 2 + 2: (2, 2, 4)}.items():
        hops = min(x, 3 - x) + min(y, 5 - y) + min(z, 5 - z)
        route = platform.route(platform.hosts[0], platform.hosts[number * machines.HOSTS + 1])
        assert len(route.links) == hops + 2


def test_study_resumes(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = [study.Point("torus", 1024, name) for name in ("two-sided-ring-1", "two-sided-ring-2", "two-sided-ring-4")]
    ran = []

    def run(point: study.Point) -> dict[str, float]:
        if len(ran) == 2:
            raise KeyboardInterrupt
        ran.append(point)
        return {"seconds": float(len(ran))}

    monkeypatch.setattr(study, "points", lambda: iter(points))
    monkeypatch.setattr(study, "run", run)
    monkeypatch.setattr(sys, "argv", ["study.py", str(tmp_path / "results.json")])
    with pytest.raises(KeyboardInterrupt):
        study.main()
    ran.clear()
    assert study.main() == 0
    assert ran == points[2:]
    assert set(study.load(tmp_path / "results.json")) == {point.key() for point in points}
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]
