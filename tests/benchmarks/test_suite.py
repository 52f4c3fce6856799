"""Tests of the benchmark suite on few ranks: table, verdicts, and memory of started collectives."""

import json
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "benchmarks"
RUN = [sys.executable, str(DIRECTORY / "run.py"), "--ranks", "4"]
SMPI = bool(shutil.which("smpirun") and shutil.which("smpicc"))


@pytest.fixture
def rows(suite: Callable[[str], ModuleType]) -> ModuleType:
    return suite("rows")


def test_a_group_alone(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "found.json"
    run = subprocess.run([*RUN, "--json", str(file), "contention"], capture_output=True, text=True, check=True)
    found = json.loads(file.read_text())
    assert list(found["groups"]) == ["contention"]
    names = [row["name"] for row in found["groups"]["contention"]]
    assert [name.split()[0] for name in names] == ["burst"] * 2 + ["alltoall"] * 2 + ["permutation"] * 3
    assert all(name in run.stdout for name in names)
    for row in (found["groups"]["contention"][i] for i in (1, 3, 4)):
        assert (row["smpi"] is not None) == SMPI
        assert ("simulated times equal" in row["note"]) == SMPI
        assert row["exact"] > 0
    assert "budgets reached" in run.stdout


def test_a_group_that_is_not_there() -> None:
    run = subprocess.run([*RUN, "contenton"], capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert "no group 'contenton'; there are start-up, point-to-point, collectives, contention, hpl" in run.stderr


def test_budgets(rows: ModuleType) -> None:
    """A budget is one in the row's unit, or one of the ratio to SMPI's; without SMPI the latter is not judged."""
    assert rows.Row("a", 4.0, "us", most=5).reached
    assert not rows.Row("a", 6.0, "us", most=5).reached
    assert rows.Row("a", 6.0, "us", exact=4.0, most=5).reached
    assert not rows.Row("a", 4.0, "us", smpi=40.0, most=5, least=20).reached
    assert rows.Row("a", 4.0, "us", smpi=80.0, most=5, least=20).reached
    assert rows.Row("a", 4.0, "us", least=20).reached is None


def test_baselines(rows: ModuleType, tmp_path: pathlib.Path) -> None:
    """Times are held relative to the calibration loop; only instructions that have grown are an error."""
    baselines = rows.Baselines(tmp_path / "baselines.json")
    taken = rows.Row("taken", 4.0, "ms")
    counted = rows.Row("counted", 1000, "instructions", "instructions")
    baselines.store("group", [taken, counted], calibration=0.05)
    stored = rows.Baselines(tmp_path / "baselines.json")
    assert stored.verdict("group", rows.Row("taken", 8.0, "ms"), calibration=0.1) == ("1.00 of the stored value", False)
    word, error = stored.verdict("group", rows.Row("taken", 8.0, "ms"), calibration=0.05)
    assert word.startswith("GROWN: 2.00") and not error
    word, error = stored.verdict("group", rows.Row("counted", 1060, "instructions", "instructions"), calibration=0.05)
    assert word.startswith("GROWN") and error
    assert stored.verdict("group", rows.Row("new", 1.0, "ms"), calibration=0.05) == ("", False)


def peak(ranks: int) -> int:
    command = [sys.executable, "-m", "pysmpi.cli.run", "-np", str(ranks), "--quiet"]
    command += ["--platform", str(ROOT / "platforms" / "fattree.xml"), "--cfg=smpi/simulate-computation:no"]
    command += ["--cfg=smpi/nonblocking-collectives:blocking"]  # SMPI posts all messages at once
    command += [str(DIRECTORY / "patterns" / "collective.py"), "alltoall", "8", "start"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return int(told["peak"])


@pytest.mark.memory
def test_a_begun_exchange_is_no_larger_on_more_ranks() -> None:
    """A rank of 4,096 uses as much memory as one of 2,048, below 20 KB: messages and partners are not stored."""
    few, more, many = peak(1024), peak(2048), peak(4096)
    each, each_of_many = (more - few) / 1024, (many - more) / 2048
    assert each_of_many < 20_000
    assert each_of_many < 1.2 * each


@pytest.mark.parametrize("program", ["barrier.py", "halo.py 64 2", "halo.py 5000 1", "allreduce.py"])
def test_programs_of_scale(program: str) -> None:
    name, *arguments = program.split()
    for platform in ("torus:3,3,3", "dragonfly:3,1/3,1/3,1/1"):
        command = [sys.executable, "-m", "pysmpi.cli.run", "-np", "21", "--platform", platform, "--quiet"]
        command += ["--cfg=smpi/auto-shared-malloc-thresh:4096", str(DIRECTORY / "scale" / name), *arguments]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert output.rstrip().endswith(" us")


def test_the_table_of_budgets(suite: Callable[[str], ModuleType], rows: ModuleType) -> None:
    ring, allreduce = rows.BUDGETS[:2]
    found = [rows.Row("a", 4.0, "us", most=5, table=ring), rows.Row("b", 4.0, "ms", most=5, table=allreduce)]
    found += [rows.Row("c", 45.0, "ms", most=40, table=allreduce), rows.Row("d", 9.0, "s", most=1)]
    lines = suite("run").table({"one": found[:2], "two": found[2:]}).splitlines()
    assert [line for line in lines if line.endswith(" not run")] == [f"{name:62} not run" for name in rows.BUDGETS[2:]]
    assert f"{ring:62} REACHED" in lines
    assert f"{allreduce:62} MISSED" in lines
    assert [line.split()[0] for line in lines if line.startswith("    ")] == ["a", "b", "c"]


def test_a_million_follows_from_fewer(suite: Callable[[str], ModuleType]) -> None:
    """Memory in proportion, time by the power law, and in proportion where starting hides how it grows."""
    scale, outcome = suite("groups.scale"), suite("sides").Outcome
    runs = [outcome(1.0, 300_000_000, ""), outcome(16.0, 1_200_000_000, "")]
    seconds, peak = scale.extrapolated(25_000, 100_000, runs)
    assert seconds == pytest.approx(1600.0)
    assert peak == pytest.approx(12_000_000_000)
    assert scale.extrapolated(25_000, 100_000, [outcome(8.0, 0, ""), runs[1]])[0] == pytest.approx(160.0)
