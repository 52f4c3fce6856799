"""Tests of timelines of replays."""

import csv
from itertools import pairwise
from pathlib import Path

import pytest

import pysmpi
from pysmpi.errors import LaunchError
from pysmpi.platform import Cluster

TRACE = "0 init\n1 init\n0 compute 1e9\n0 send 1 0 1000 6\n0 sleep 0.5\n1 recv 0 0 1000 6\n1 barrier\n0 barrier\n"


def test_actions_are_calls(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text(TRACE)
    result = pysmpi.simulate_replay(tmp_path / "trace", platform=Cluster(2, speed=1e9), trace=tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    for rank, names in enumerate((["computing (injected)", "send", "sleeping", "barrier"], ["recv", "barrier"])):
        own = [row for row in table if row["rank"] == str(rank) and row["depth"] == "0"]
        assert [row["name"] for row in own] == names
        assert [float(own[0]["begin"]), float(own[-1]["end"])] == [0.0, result.end_times[rank]]
        assert all(before["end"] == after["begin"] for before, after in pairwise(own))
    assert sum(row["kind"] == "message" for row in table) == result.counters.messages


def test_schedules_that_ranks_consist_of(tmp_path: Path) -> None:
    schedules = []
    for rank in range(2):
        schedule = pysmpi.Schedule()
        schedule.execute(1.0)
        (schedule.send if rank == 0 else schedule.receive)(None, 1 - rank, amount=100)
        schedules.append(schedule)
    pysmpi.simulate_replay(schedules, platform=Cluster(2), trace=tmp_path / "run.csv")
    with (tmp_path / "run.csv").open(newline="") as file:
        found = {(row["rank"], row["name"], row["depth"]) for row in csv.DictReader(file) if row["rank"]}
    assert found >= {(rank, "computing (injected)", "1") for rank in "01"} | {("0", "pysmpi.Schedule", "0")}


def test_goal_under_loggps(tmp_path: Path) -> None:
    (tmp_path / "goal").write_text("num_ranks 1\nrank 0 {\nl1: calc 100\n}\n")
    with pytest.raises(LaunchError, match="separate simulator"):
        pysmpi.simulate_replay(
            tmp_path / "goal", platform=Cluster(1), cfg={"network/model": "LogGPS"}, trace=tmp_path / "run"
        )
