"""Command ``pysmpi estimate``."""

import json
from pathlib import Path

import pytest

import pysmpi
from pysmpi.cli.main import main
from pysmpi.util.shipped import shipped

HEAT = str(shipped("apps") / "sequential" / "heat.py")


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "estimate",
        HEAT,
        "{n}",
        "2",
        "--size",
        "n=32,64",
        "--nodes",
        "2:16",
        "--speed",
        "1e10",
        "--bandwidth",
        "1e9",
    ]
    assert main(words) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0] == "80 % efficiency: up to 2 nodes; volume stops more at heat.py:13"
    assert lines[3].split()[:4] == ["nodes", "size", "bytes", "a"]
    assert lines[4].split()[:7] == ["2", "n=32", "512", "512", "512", "1x2", "blocks"]
    assert "  heat.py:13  halo  6,144 bytes  100 %" in lines
    assert "2 steps of 64 x 64 points" in captured.err


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = []
    for _ in range(2):
        assert main(["estimate", HEAT, "128", "2", "--blocks", "4x4", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    for each in found:
        assert set(each.pop("measured_seconds")) == {"run"}
    assert found[0] == found[1]
    row = found[0]["rows"][0]
    assert (row["nodes"], row["size"], row["measured"], row["parallelism"]) == (16, {}, True, 16384.0)
    assert row["usual"]["by"] == "blocks"
    assert row["usual"]["blocks"] == {"u": [4, 4]}
    assert row["usual"]["words"] == {"step": 1536, "once": 0, "run": 3072}
    assert row["usual"]["recomputed"] == {"step": 0}
    assert (row["usual"]["messages"], row["usual"]["neighbours"]) == (4, 4)
    assert row["usual"]["efficiency"] == {"simulated": None, "formula": None, "link": None, "depth": 1.0}
    assert found[0]["program"] == "heat.py"
    assert found[0]["statements"] == [{"place": "heat.py:13", "what": "halo", "words": 1536}]
    assert [each["efficiency"] for each in found[0]["stops"]] == [0.8, 0.5]


def test_compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", HEAT, "16", "1", "--compare"]) == 0
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\na = np.ones(32) * 2\nprint(type(a).__name__)\n")
    assert main(["estimate", str(program), "--nodes", "2", "--compare"]) == 1
    assert "prints something else in line 1" in capsys.readouterr().err


@pytest.mark.smpi
def test_directory(tmp_path: Path) -> None:
    folder = tmp_path / "heat"
    assert main(["estimate", HEAT, "64", "2", "--nodes", "4,16", "--platform", "torus:4,4", "-o", str(folder)]) == 0
    assert {each.name for each in folder.iterdir()} >= {
        "estimate.json", "table.csv", "matrix_4.csv", "matrix_16.csv", "cut_16.npy", "skeleton_16.txt",
        "efficiency.svg", "bytes_per_flop.svg", "matrix.svg", "cut.svg", "statements.svg",
    }  # fmt: skip
    assert [each.name for each in tmp_path.iterdir()] == ["heat"]
    words = [line.split(",") for line in (folder / "matrix_16.csv").read_text().splitlines()]
    assert words[0] == ["sender", "receiver", "words"]
    assert sum(int(each) for _, _, each in words[1:]) == 2 * 6 * 64
    assert (folder / "table.csv").read_text().startswith("nodes,")
    row = pysmpi.estimate(HEAT, [64, 2], nodes=[16], platform="torus:4,4").at(16)
    replayed = pysmpi.simulate_replay(folder / "skeleton_16.txt", platform="torus:4,4")
    expected = pysmpi.simulate_replay(row.skeleton, platform="torus:4,4")
    assert replayed.simulated_time == pytest.approx(expected.simulated_time, rel=1e-6)


def test_directory_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main(["estimate", HEAT, "16", "1", "--nodes", "4", "-o", str(tmp_path)]) == 2
    assert "already exists and is not an empty directory" in capsys.readouterr().err


def test_error_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text("import numpy as np\na = np.eye(4)\nprint(np.linalg.eig(a))\n")
    assert main(["estimate", str(program)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{program}:3: numpy.linalg.eig has no rule")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--size", "n"], "option --size: 'n' is not of the form n=128,256"),
        (["--size", "n=a"], "option --size: 'a' is not a list of whole numbers"),
        (["--nodes", "8:2"], "option --nodes: '8:2' is not a list such as 16,64 or a range"),
        (["--blocks", "4x"], "option --blocks: '4x' is not of the form 4x4 or 16"),
        (["--speed", "-1"], "option --speed: '-1' is not a positive, finite number"),
        (["--speed", "0Gf"], "option --speed: '0Gf' is not a positive, finite number"),
        (["--speed", "10Gx"], "option --speed: speed '10Gx' has an unknown unit 'Gx'; did you mean 'Gf'?"),
        (["--bandwidth", "fast"], "option --bandwidth: bandwidth 'fast' is not a number with a unit, such as '1Bps'"),
        (["--node", "2"], "unknown option '--node'; did you mean --nodes?"),
    ],
)
def test_bad_options(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["estimate", HEAT, *words]) == 2
    assert message in capsys.readouterr().err


def test_used_directory_is_refused_before_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text("print('it ran')\n")
    assert main(["estimate", str(program), "-o", str(tmp_path)]) != 0
    captured = capsys.readouterr()
    assert "already exists and is not an empty directory" in captured.err
    assert "it ran" not in captured.err


def test_report_of_a_saved_estimate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "heat"
    words = [HEAT, "16", "2", "--nodes", "2,4", "--cut", "blocks", "-o", str(folder)]
    assert main(["estimate", *words]) == 0
    assert main(["report", str(folder)]) == 0
    text = (folder / "report.html").read_text()
    assert "<td>heat.py:13</td><td>halo</td><td>512</td>" in text
    assert text.count("data:image/svg+xml") == 5
    (folder / "estimate.json").write_text("{}")
    assert main(["report", str(folder)]) != 0
    assert "estimate.json: damaged, or written by another version" in capsys.readouterr().err
