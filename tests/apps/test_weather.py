"""Tests of apps/weather: real data of the programs, simulated and under mpiexec, and points of the study."""

import json
import pathlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moves import MOVES, Move, box
from partition import span, touched, touching

from pysmpi.platform import read

FOLDER = pathlib.Path(__file__).parents[2] / "apps" / "weather"
MPIEXEC = pathlib.Path(sys.executable).parent / "mpiexec"
PYSMPIRUN = [sys.executable, "-m", "pysmpi.cli.run", "--quiet", "--platform", "torus:5,5,2/6"]


def run(*command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=100)


def simulated(ranks: int, program: str, arguments: str) -> dict[str, Any]:
    done = run(*PYSMPIRUN, "-np", ranks, FOLDER / program, *arguments.split(), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def study(arguments: str) -> dict[str, Any]:
    done = run(sys.executable, FOLDER / "study.py", *arguments.split(), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@given(points=st.integers(1, 30), parts=st.integers(1, 8), width=st.integers(0, 50))
def test_parts_that_a_halo_touches(points: int, parts: int, width: int) -> None:
    """The halo of each part is complete, and each message that one part awaits is one that another part sends."""
    parts = min(parts, points)
    awaited, sent = [], []
    for part in range(parts):
        begin, end = span(points, parts, part)
        halo = [point for _, _, cut in touched(points, parts, part, width) for point in range(*cut)]
        assert sorted(halo) == [*range(begin - width, begin), *range(end, end + width)]
        for side, other, (first, last) in touched(points, parts, part, width):
            awaited.append((other % parts, part, side, first % points, last - first))
        for side, other, (first, last) in touching(points, parts, part, width):
            assert begin <= first < last <= end
            sent.append((part, other % parts, side, first, last - first))
    assert sorted(awaited) == sorted(sent)
    for pair in {row[:3] for row in awaited}:  # messages are not told apart but by their order
        assert [row for row in awaited if row[:3] == pair] == [row for row in sent if row[:3] == pair]


@given(sizes=st.tuples(*[st.integers(1, 12)] * 3), cx=st.integers(1, 5), cy=st.integers(1, 5))
def test_counts_of_transpositions_fit_the_boxes(sizes: tuple[int, int, int], cx: int, cy: int) -> None:
    before = "grid points"
    for _, divided, gathered, is_row, after in MOVES:
        for i in range(cx):
            for j in range(cy):
                move = Move.of(sizes, divided, gathered, (cx, i), (cy, j), is_row)
                for name, counts in ((before, move.send_counts), (after, move.receive_counts)):
                    edges = box(name, sizes, (cx, i), (cy, j))
                    assert counts.sum() == np.prod([end - begin for begin, end in edges])
                assert np.prod(move.received_shape) == move.receive_counts.sum()
        before = after


@pytest.mark.parametrize(
    ("ranks", "program", "arguments"),
    [
        (6, "halo.py", "--cx 2 --cy 3 --grid 7 8 3 --width 20"),
        (20, "halo.py", "--cx 5 --cy 4 --grid 21 13 2 --width 7"),
        (256, "halo.py", "--cx 16 --cy 16 --grid 33 40 1 --width 5"),
        (6, "transposition.py", "--cx 2 --cy 3 --grid 7 8 3"),
        (20, "transposition.py", "--cx 5 --cy 4 --grid 21 13 6"),
        (256, "transposition.py", "--cx 16 --cy 16 --grid 33 17 19"),
    ],
)
def test_data_is_right(ranks: int, program: str, arguments: str) -> None:
    outcome = simulated(ranks, program, arguments + " --check")
    assert outcome["right"] is True
    assert outcome["seconds"] == sum(part["seconds"] for part in outcome["parts"]) > 0


@pytest.mark.skipif(not MPIEXEC.exists(), reason="no mpiexec beside this interpreter: pip install mpich")
def test_programs_run_for_real() -> None:
    for program, arguments in (("halo.py", "--width 9 --check"), ("transposition.py", "--check"), ("gcr.py", "")):
        words = [*f"--cx 2 --cy 3 --grid 7 8 3 {arguments}".split(), "--json"]
        done = run(MPIEXEC, "-n", 6, sys.executable, FOLDER / program, *words)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout).get("right", True) is True


@pytest.mark.parametrize("program", ["halo", "transposition"])
def test_wrong_data_ends_with_status_1(program: str, tmp_path: pathlib.Path) -> None:
    skipped = {"halo": "halos.sweep = lambda *_: None",
               "transposition": "transposition.Move.pack = lambda move, field: field.ravel() * 0"}  # fmt: skip
    module = {"halo": "halos"}.get(program, program)
    script = tmp_path / "wrong.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(FOLDER)!r})\nimport {module}\n{skipped[program]}\n"
        f"sys.exit({module}.main())\n"
    )
    options = "--cx 2 --cy 3 --grid 8 9 4 --check --json"
    done = run(*PYSMPIRUN, "-np", 6, script, *options.split())
    assert json.loads(done.stdout)["right"] is False
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("program", "arguments", "reason"),
    [
        ("halo.py", "--cx 2 --cy 2", "must be the number of ranks, 6"),
        ("transposition.py", "--cx 2 --cy 2", "must be the number of ranks, 6"),
        ("transposition.py", "--cx 6 --cy 1 --grid 8 8 5", "--cx 6 is more than the 5 points of z"),
        ("halo.py", "--cx 1 --cy 6 --grid 8 5 5", "--cy 6 is more than the 5 points"),
    ],
)
def test_illegal_splits_end_with_one_line(program: str, arguments: str, reason: str) -> None:
    done = run(*PYSMPIRUN, "-np", 6, FOLDER / program, *arguments.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert reason in done.stderr


def test_solver_is_the_same_on_all_splits() -> None:
    alone = simulated(1, "gcr.py", "--cx 1 --cy 1 --grid 16 12 4")
    assert (alone["iterations"], alone["allreduces"]) == (25, 50)
    assert 1e-6 < alone["residual"] < 0.1
    split = simulated(6, "gcr.py", "--cx 2 --cy 3 --grid 16 12 4")
    assert split["residual"] == pytest.approx(alone["residual"], rel=1e-10)
    assert (split["iterations"], split["allreduces"]) == (25, 50)
    assert simulated(6, "gcr.py", "--cx 2 --cy 3 --folded")["allreduces"] == 50


def test_machines_need_no_files(tmp_path: pathlib.Path) -> None:
    done = run(sys.executable, FOLDER / "machines.py", "--json", "-o", tmp_path / "files")
    assert len(json.loads(done.stdout)) == 8
    assert done.stderr == f"machines.py: no effect: -o {tmp_path}/files: one word describes each machine\n"
    assert not (tmp_path / "files").exists()


def test_machines() -> None:
    done = run(sys.executable, FOLDER / "machines.py", "--json", "--bandwidth", "25GBps", "--latency", "1us")
    machines = {row["name"]: read(row["platform"]) for row in json.loads(done.stdout)}
    hosts = {"torus-L": 1_171_875, "dragonfly-ML": 1_171_875, "fattree-L": 1_185_921}
    assert {name: len(machine.hosts) for name, machine in machines.items()} == {
        name: hosts.get(name, 390_625)
        for name in ("torus-M", "fattree-M", "dragonfly-MM", "dragonfly-SL", "dragonfly-LS", *hosts)
    }
    for machine in machines.values():
        route = machine.route("node-0", "node-1")
        assert (len(route.links), route.latency, route.links[0].bandwidth) == (2, 2e-6, 25e9)
    far = (37 + 12 * 75 + 12 * 75 * 25) * 25
    assert len(machines["torus-L"].route("node-0", f"node-{far}").links) == 2 + 37 + 12 + 12


@pytest.mark.parametrize("model", ["packets", "flows"])
@pytest.mark.parametrize(
    "pattern", ["transposition --cx 4 --cy 6 --grid 64 48 32 --algorithm bruck", "halo --grid 60 48 8 --width 12"]
)
def test_points_take_longer_than_their_floors(pattern: str, model: str) -> None:
    point = study(f"--point {pattern} --machine torus-M --ranks 24 --model {model} --message-cost 0")
    assert point["seconds"] == pytest.approx(sum(part["seconds"] for part in point["parts"]))
    assert point["floor"] == pytest.approx(sum(part["floor"] for part in point["parts"]))
    assert all(0 < part["floor"] < part["seconds"] for part in point["parts"])


def test_a_point_can_be_run_again() -> None:
    """The settings of a point are options of the command."""
    first = study("--point transposition --machine dragonfly-SL --ranks 12 --grid 24 24 12 --routing valiant "
                  "--message-cost 1e-6 --cfg packets/size:1024")  # fmt: skip
    assert (first["cx"], first["cy"]) == (3, 4)
    words = []
    for name, value in first["settings"].items():
        for one in value if name == "cfg" else [value]:
            words += [f"--{name}", *(map(str, one) if isinstance(one, list) else [str(one)])]
    head = f"--point {first['pattern']} --machine {first['machine']} --ranks 12 --cx 3 --cy 4 --model packets "
    assert study(head + " ".join(words)) == first


def test_points_without_simulation_and_without_floors() -> None:
    floors = study("--point transposition --machine fattree-M --ranks 100 --model floors")
    assert floors["seconds"] is None
    # Each rank sends its part of the field but for its own block; parts of z have up to 26 of 25.6 points.
    own = 8 * 28800 * 14400 * 256 / 100 / 10e9
    assert 0.9 * own < floors["parts"][0]["floor"] < own
    for model in ("packets", "loggps"):
        point = study(f"--point allreduce --machine torus-L --ranks 9 --algorithm recursive-3 --model {model}")
        assert point["floor"] is None
        assert point["seconds"] > 4 * 5e-7
    options = "--point halo --machine torus-L --ranks 10 --cx 3"
    done = run(sys.executable, FOLDER / "study.py", *options.split())
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
