"""Tests of Gantt charts: their content, and tables that cannot be drawn."""

from pathlib import Path

import pytest

import pysmpi
from pysmpi.errors import LaunchError
from pysmpi.platform import Cluster
from pysmpi.simulation.instruments.timeline.gantt import draw, read

EXACT = {"smpi/simulate-computation": "no", "smpi/wtime": 0}


def timeline(tmp_path: Path, name: str, ranks: int) -> Path:
    def program() -> None:
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        pysmpi.execute(world.rank + 0.5)
        schedule = pysmpi.Schedule(world)
        schedule.execute(0.5)
        schedule.run()
        world.Barrier()

    pysmpi.simulate(program, np=ranks, platform=Cluster(ranks), cfg=EXACT, trace=tmp_path / name)
    return tmp_path / name


@pytest.mark.parametrize(("name", "ranks"), [("run.csv", 1), ("run.csv", 3), ("run.parquet", 3), ("run.csv", 1500)])
def test_seconds(tmp_path: Path, name: str, ranks: int) -> None:
    """Each rank's seconds are in its row once; computation inside a call does not count for the call."""
    gantt = read(timeline(tmp_path, name, ranks))
    assert (gantt.begin, gantt.ranks) == (0.0, ranks)
    assert gantt.end == pytest.approx(ranks, rel=1e-3)
    by_state = dict(zip(gantt.states, gantt.seconds.sum(axis=(1, 2)), strict=True))
    assert gantt.states[0] == "computing (injected)"
    assert by_state["computing (injected)"] == pytest.approx(ranks * (ranks + 1) / 2, rel=1e-3)
    assert sum(by_state.values()) == pytest.approx(ranks * gantt.end, rel=2e-3)
    assert "pysmpi.Schedule.run" not in by_state
    if ranks <= 3:
        assert gantt.seconds[0].sum(axis=1) == pytest.approx([rank + 1 for rank in range(ranks)], rel=1e-3)


def test_a_part_of_the_run(tmp_path: Path) -> None:
    gantt = read(timeline(tmp_path, "run.csv", 2), 0.25, 0.75)
    assert (gantt.begin, gantt.end, gantt.states) == (0.25, 0.75, ["computing (injected)", "other"])
    assert gantt.seconds.sum() == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_picture(tmp_path: Path, ending: str) -> None:
    gantt = read(timeline(tmp_path, "run.csv", 3))
    pictures = []
    for name in ("one", "two"):
        draw(gantt, str(tmp_path / f"{name}.{ending}"))
        pictures.append((tmp_path / f"{name}.{ending}").read_bytes())
    assert pictures[0] == pictures[1]
    if ending == "svg":
        assert b"MPI_Barrier" in pictures[0]


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    run = timeline(tmp_path, "run.csv", 1)
    with pytest.raises(LaunchError, match="the timeline is empty between 5 s and"):
        read(run, 5.0)
    with pytest.raises(LaunchError, match="the timeline is empty between 2 s and 1 s"):
        read(run, 2.0, 1.0)
    for name, text in (("other.csv", "a,b\n1,2\n"), ("broken.csv", "kind,name,rank,begin,end\ncall,x,?,0,1\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(LaunchError, match="not a timeline table"):
            read(tmp_path / name)
    (tmp_path / "other.parquet").write_text("x")
    with pytest.raises(LaunchError, match="not a Parquet file"):
        read(tmp_path / "other.parquet")
    with pytest.raises(
        LaunchError, match=r"run\.pftrace: a plot needs a timeline table; write one with --trace " r"FILE\.csv"
    ):
        read(tmp_path / "run.pftrace")
    with pytest.raises(LaunchError, match="No such file"):
        read(tmp_path / "missing.csv")
    with pytest.raises(LaunchError, match="unknown format of a picture 'gif'"):
        draw(read(run), "run.gif")


def test_a_table_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_bytes(b"\xa0\xff")
    with pytest.raises(LaunchError, match=r"run\.csv: not a timeline table"):
        read(tmp_path / "run.csv")
