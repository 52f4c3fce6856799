"""Trials of the selector ``best``: all algorithms of one collective call, simulated one by one in a separate process.

Run as a program, this module reads a question as a JSON object from standard input and writes the answer to standard
output: the seconds of each algorithm by its name, and those of the default selector, or an error.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import count
from typing import Any

from pysmpi.errors import PysmpiError
from pysmpi.experiments.compare_collectives import compare_algorithms
from pysmpi.instruments.best_selector import Question, Trial

__all__ = ["main", "trials"]

# Functions of this process, taken before a simulation replaces them by those of the running rank.
_spawn, _wait = os.posix_spawn, os.waitpid


@contextmanager
def trials() -> Iterator[Trial]:
    """Provide a function that runs one trial in a process of its own."""
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
        command = [sys.executable, "-P", "-m", "pysmpi.experiments.trial"]
        child = _spawn(sys.executable, command, environment, file_actions=actions)
        _, status = _wait(child, 0)
        if status != 0:
            return {"error": f"the trial ended with status {os.waitstatus_to_exitcode(status)}"}
        with open(f"{base}.out", encoding="utf-8") as stream:
            answer: dict[str, Any] = json.load(stream)
        return answer

    with tempfile.TemporaryDirectory(prefix="pysmpi-best-") as folder:
        yield run_trial


def main() -> int:
    """Run one trial; return 0 if there is an answer, be it an error."""
    question = Question(**json.load(sys.stdin))
    with tempfile.NamedTemporaryFile("w", suffix=".hosts", delete=False) as hostfile:
        hostfile.write("\n".join(question.hosts) + "\n")
    try:
        comparison = compare_algorithms(
            question.operation,
            np=len(question.hosts),
            sizes=[question.bytes],
            platform=question.platform,
            cfg=question.cfg,
            hostfile=hostfile.name,
            selectors=("default",),
        )
    except PysmpiError as error:
        print(json.dumps({"error": str(error)}))
        return 0
    finally:
        os.unlink(hostfile.name)
    seconds = {trial.choice: trial.seconds[0] for trial in comparison.algorithms if trial.seconds}
    (default,) = comparison.selectors
    print(json.dumps({"seconds": seconds, "default": default.seconds[0] if default.seconds else None}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
