"""Order in which instruments begin, end and close."""

import sys

import pytest

from pysmpi.errors import LaunchError
from pysmpi.platform import read
from pysmpi.simulation.instruments.instrument import Instrument, Run, observed_by
from pysmpi.simulation.settings.configuration import Configuration


class Recorder(Instrument):
    def __init__(self, name: str, calls: list[str], *, fails: bool = False) -> None:
        self._name = name
        self._calls = calls
        self._fails = fails

    def begin(self, run: Run) -> None:
        if self._fails:
            raise LaunchError("cannot begin")
        self._calls.append(f"begin {self._name}")

    def close(self) -> None:
        self._calls.append(f"close {self._name}")


@pytest.fixture
def run() -> Run:
    return Run(read("flat:1"), Configuration(), lambda: "program.py", [0], lambda rank: "node-0", sys.stderr)


def test_they_close_in_reverse_order(run: Run) -> None:
    calls: list[str] = []
    with observed_by([Recorder("a", calls), Recorder("b", calls)], run):
        calls.append("run")
    assert calls == ["begin a", "begin b", "run", "close b", "close a"]


def test_only_those_that_began_are_closed(run: Run) -> None:
    calls: list[str] = []
    instruments = [Recorder("a", calls), Recorder("b", calls, fails=True), Recorder("c", calls)]
    with pytest.raises(LaunchError), observed_by(instruments, run):
        calls.append("run")
    assert calls == ["begin a", "close a"]
