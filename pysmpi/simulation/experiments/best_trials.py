"""Trials of the selector ``best``: a separate process simulates all algorithms of one collective call."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import count
from typing import Any

from pysmpi.simulation.isolation.current import hosted
from pysmpi.simulation.modifiers.best_selector import Question, Trial

__all__ = ["trials"]


@contextmanager
def trials() -> Iterator[Trial]:
    """Provide a function that runs one trial in a separate process, until the context manager ends."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    numbers = count()

    def run_trial(question: Question) -> dict[str, Any]:
        base = os.path.join(folder, str(next(numbers)))
        with open(f"{base}.in", "w", encoding="utf-8") as stream:
            json.dump(asdict(question), stream)
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, f"{base}.in", os.O_RDONLY, 0o600),
            (os.POSIX_SPAWN_OPEN, 1, f"{base}.out", os.O_WRONLY | os.O_CREAT, 0o600),
        ]
        command = [sys.executable, "-P", "-m", "pysmpi.simulation.experiments.trial"]
        with hosted():  # the other ranks do not run meanwhile, and no simulated time passes
            child = os.posix_spawn(sys.executable, command, environment, file_actions=actions)
            _, status = os.waitpid(child, 0)
        if status != 0:
            return {"error": f"the trial ended with status {os.waitstatus_to_exitcode(status)}"}
        with open(f"{base}.out", encoding="utf-8") as stream:
            answer: dict[str, Any] = json.load(stream)
        return answer

    with tempfile.TemporaryDirectory(prefix="pysmpi-best-") as folder:
        yield run_trial
