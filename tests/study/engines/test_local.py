"""Tests of the local engine: as many points at a time as there are cores and memory for."""

import threading
import types
from typing import Any

import pytest

from pysmpi.errors import StudyError
from pysmpi.study.engines import local
from pysmpi.study.engines.local import LocalEngine

TASKS = [(str(number), {"number": number}) for number in range(6)]


@pytest.mark.parametrize(("available", "most"), [(10**12, 3), (100, 1)])
def test_as_many_as_fit(monkeypatch: pytest.MonkeyPatch, available: int, most: int) -> None:
    under_way: list[Any] = []
    met: list[int] = []
    lock = threading.Lock()
    all_begun = threading.Event()

    def run_task(task: dict[str, Any], *_: Any) -> dict[str, Any]:
        with lock:
            under_way.append(task)
            met.append(len(under_way))
            if len(under_way) == most:
                all_begun.set()
        all_begun.wait(10)
        with lock:
            under_way.remove(task)
        return {"status": "done", "peak_memory": 1000, "number": task["number"]}

    monkeypatch.setattr(local, "run_task", run_task)
    monkeypatch.setattr(local.psutil, "virtual_memory", lambda: types.SimpleNamespace(available=available))
    engine = LocalEngine(3)
    engine._largest = 1000  # of a point before
    found = dict(engine.run(TASKS))
    assert {key: outcome["number"] for key, outcome in found.items()} == {key: task["number"] for key, task in TASKS}
    assert max(met) == most
    assert len(dict(engine.run(TASKS[:1]))) == 1  # it may be used again


def test_no_workers() -> None:
    with pytest.raises(StudyError, match="parallel = 0 is not valid; it must be at least 1"):
        LocalEngine(0)
    assert LocalEngine().width >= 1


def test_more_files_than_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [200, 1000]
    monkeypatch.setattr(local.resource, "getrlimit", lambda _: tuple(limits))
    monkeypatch.setattr(local.resource, "setrlimit", lambda _, new: limits.__setitem__(slice(None), new))
    assert LocalEngine(10).width == 10
    assert limits == [200, 1000]
    assert LocalEngine(50).width == 50
    assert limits == [500, 1000]
    with pytest.raises(StudyError, match=r"needs 1,700 open files, but the limit is 1,000 .*give --parallel 112"):
        LocalEngine(200)
