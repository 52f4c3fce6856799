"""Direction of a metric: declared by the program, known by its name, chosen, or asked for."""

import json
import pathlib

import pytest

from pysmpi.cli.main import main
from pysmpi.errors import StudyError
from pysmpi.study import Study, Table
from pysmpi.study.analysis import direction_of, find_direction, pareto_front, slowest_within, with_better

PROGRAM = """\
from mpi4py import MPI
import pysmpi
world = MPI.COMM_WORLD
start = MPI.Wtime()
world.bcast(b"x" * 10**6)
world.Barrier()
if world.rank == 0:
    seconds = MPI.Wtime() - start
    pysmpi.report(seconds=seconds, hpl_gflops=1 / seconds, flow=1 / seconds)
    pysmpi.report(drag=-seconds, better="more")
"""
STUDY = """\
program = "program.py"
platform = "flat:4:bw={{bw}}"
fixed = { ranks = 4, cfg = { "smpi/simulate-computation" = "no" } }
factors = { platform = { bw = ["1GBps", "2GBps", "4GBps"] } }
prices = { node = 100, link = "10 + bw / 1e9" }
"""


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("directions")
    (folder / "program.py").write_text(PROGRAM)
    (folder / "study.toml").write_text(STUDY)
    assert main(["study", "run", str(folder / "study.toml"), "--quiet"]) == 0
    return str(folder / "study.toml")


def _starred(told: str) -> list[str]:
    return [line.split()[-1] for line in told.splitlines() if line.lstrip().startswith("*")]


@pytest.mark.parametrize(
    ("words", "starred", "said"),
    [
        (["--of", "metric.hpl_gflops"], 3, "metric.hpl_gflops: more is better (as its name says)"),
        (["--of", "metric.seconds"], 3, "metric.seconds: less is better (as its name says)"),
        (["--of", "metric.drag"], 3, "metric.drag: more is better (as the program declares)"),
        (["--of", "metric.flow", "--better", "more"], 3, "metric.flow: more is better (as chosen)"),
        (["--of", "metric.flow", "--larger-is-better"], 3, "metric.flow: more is better (as chosen)"),
        (["--of", "metric.flow", "--better", "metric.flow=less"], 1, "metric.flow: less is better (as chosen)"),
        (["--of", "metric.hpl_gflops", "--better=less"], 1, "metric.hpl_gflops: less is better (as chosen)"),
        (["--of", "simulated_time"], 3, "simulated_time: less is better;"),
    ],
)
def test_pareto(study: str, capsys: pytest.CaptureFixture[str], words: list[str], starred: int, said: str) -> None:
    """The dearer machine is the faster one: all machines are on the front of a metric that follows the speed."""
    assert main(["study", "pareto", study, *words]) == 0
    told = capsys.readouterr().out
    assert len(_starred(told)) == starred
    assert "1GBps" in _starred(told)
    assert said in told


def test_a_column_as_cost_has_a_direction_too(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["study", "pareto", study, "--of", "metric.seconds", "--against"]
    assert main([*words, "metric.hpl_gflops"]) == 0
    told = capsys.readouterr().out
    assert _starred(told) == ["4GBps"]
    assert "metric.hpl_gflops: more is better" in told
    assert main([*words, "metric.flow"]) == 2
    assert "metric.flow: it is unknown whether more or less is better" in capsys.readouterr().err
    assert main([*words, "metric.flow", "--better", "metric.flow=more"]) == 0
    assert _starred(capsys.readouterr().out) == ["4GBps"]


@pytest.mark.parametrize("command", ["pareto", "search"])
def test_an_unknown_direction_is_asked_for(study: str, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main(["study", command, study, "--of", "metric.flow"]) == 2
    told = capsys.readouterr().err
    assert "give --better more or --better less" in told
    assert 'pysmpi.report(flow=…, better="more")' in told


def test_effects_mark_the_best_value(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    def best(*words: str) -> list[str]:
        assert main(["study", "effects", study, *words]) == 0
        told = capsys.readouterr().out
        return [line for line in told.splitlines() if " * " in line and "marks" not in line]

    (of_gflops,) = best("--of", "metric.hpl_gflops")
    (of_seconds,) = best("--of", "metric.seconds")
    (of_flow,) = best("--of", "metric.flow", "--better", "less")
    assert "4GBps" in of_gflops and "4GBps" in of_seconds and "1GBps" in of_flow
    assert best("--of", "metric.flow") == []


def test_search(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "search", study, "--of", "metric.hpl_gflops"]) == 0
    assert "metric.hpl_gflops: more is better (as its name says)\nplatform.bw = 4GBps" in capsys.readouterr().out
    found = slowest_within(
        Study.read(study), "platform.bw", pathlib.Path(study).with_suffix(".results"), metric="metric.drag", within=9
    )
    assert found.value == "1GBps"
    assert found.direction.more


def test_points_without_directions(study: str, capsys: pytest.CaptureFixture[str], tmp_path: pathlib.Path) -> None:
    """Results of former versions have no directions: they load, and the name or the option decides."""
    results = tmp_path / "old.results"
    for path in (pathlib.Path(study).with_suffix(".results") / "points").glob("*.json"):
        record = json.loads(path.read_text())
        assert record.pop("better") == {"drag": "more"}
        target = results / "points" / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps(record))
    words = ["study", "pareto", study, "--results", str(results), "--of"]
    assert main([*words, "metric.hpl_gflops"]) == 0
    assert "more is better (as its name says)" in capsys.readouterr().out
    assert main([*words, "metric.drag"]) == 2
    assert main([*words, "metric.drag", "--better", "more"]) == 0


def test_points_that_disagree() -> None:
    rows = [{"point": 1, "status": "done", "metric.flow": 1.0, "energy": 1.0, "metric.drag": 2.0}]
    table = Table(rows, (), {"metric.flow": ("less", "more"), "metric.drag": ("more",)})
    with pytest.raises(StudyError, match="some points declare that more is better and others that less is"):
        pareto_front(table, "metric.flow")
    chosen = with_better(table.done(), ["metric.flow=more", "metric.drag=less"], [])
    assert direction_of(chosen, "metric.flow").more
    assert not direction_of(chosen, "metric.drag").more
    assert direction_of(table, "metric.drag").more
    assert find_direction(table, "requirement.bytes").more is False  # type: ignore[union-attr]
    with pytest.raises(StudyError, match="option --better: unknown direction 'mor'; did you mean 'more'"):
        with_better(table, ["mor"], ["metric.flow"])
    with pytest.raises(StudyError, match=r"unknown column 'metric\.flo'"):
        with_better(table, ["metric.flo=more"], [])
    with pytest.raises(StudyError, match=r"metric\.flow has two directions; give one"):
        with_better(table, ["more", "metric.flow=less"], ["metric.flow"])
