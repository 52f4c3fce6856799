"""One point's simulation seen from outside: its process is started, waited for, and asked what came of it."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import IO, Any

from pysmpi.study.metrics import printed_metrics
from pysmpi.study.task import Task
from pysmpi.study.versions import versions
from pysmpi.util.library_threads import THREAD_VARIABLES

__all__ = ["Outcome", "run_task"]

Outcome = dict[str, Any]
"""What came of a task: ``status`` ("done", "failed", "killed") and what the table's columns have."""

# One thread a rank and equal runs, as pysmpirun has them.
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    **dict.fromkeys(THREAD_VARIABLES, "1"),
}
_TAIL = 2000  # characters of what a failed program has printed
_KILLINGS = 5  # of the same point, until it is given up


def run_task(
    values: dict[str, Any],
    started: Callable[["subprocess.Popen[str]"], None] = lambda process: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Simulates a task in a process of its own. One that is killed is started again, several times.

    Args:
        values: the task, as `Task.to_json` has it.
        started: is told of each process.
        is_cancelled: whether a killed process is not to be started again.
    """
    task = Task.from_json(values)
    attempts = 0
    begun = datetime.now(UTC).isoformat(timespec="seconds")
    while True:
        attempts += 1
        outcome = _attempt(task, started)
        if outcome["status"] != "killed" or attempts == _KILLINGS or is_cancelled():
            break
    return outcome | {
        "attempts": attempts,
        "started": begun,
        "machine": socket.gethostname(),
        "versions": versions(),
    }


def _attempt(task: Task, started: Callable[["subprocess.Popen[str]"], None]) -> Outcome:
    begun = time.perf_counter()
    with contextlib.ExitStack() as files:
        try:
            output, log = (files.enter_context(tempfile.TemporaryFile("w+", errors="replace")) for _ in range(2))
            told = files.enter_context(os.fdopen(os.memfd_create("outcome"), "rb"))
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pysmpi.study.simulation", str(told.fileno()), str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=log,
                env={**os.environ, **_ENVIRONMENT},
                text=True,
                process_group=0,  # Ctrl-C is for the study, which then ends it
            )
            ending = _ending_of(process)
        except OSError as error:  # not the point's doing
            reason = error.strerror or str(error)
            return {"status": "killed", "kind": "process", "error": f"no process can be started: {reason}"}
        files.callback(os.close, ending)
        started(process)
        expired = _wait(process, ending, task)
        # It is written only once the simulation is at its end; a process may still be killed after that.
        outcome: Outcome
        if (found := _outcome_in(told.read())) is not None:
            outcome = found
        elif expired:
            outcome = {"status": "failed", "kind": "timeout", "error": f"it took more than {task.timeout:g} s"}
        elif process.returncode < 0:
            outcome = {"status": "killed", "kind": "killed", "error": f"killed by signal {-process.returncode}"}
        else:
            reason = f"its process ended with status {process.returncode}"
            outcome = {"status": "failed", "kind": "process", "error": reason}
        outcome.setdefault("wall_time", time.perf_counter() - begun)
        if outcome["status"] == "done":
            output.seek(0)
            outcome["printed"] = printed_metrics(output)
        elif said := _tail(log) or _tail(output):
            outcome["error"] += f"; it said at last: {said}"
    return outcome


def _ending_of(process: "subprocess.Popen[str]") -> int:
    """A descriptor that can be read once it has ended. Nobody else knows of it yet, so it is there."""
    try:
        return os.pidfd_open(process.pid)
    except OSError:
        process.kill()
        process.wait()
        raise


def _wait(process: "subprocess.Popen[str]", ending: int, task: Task) -> bool:
    """Tells it its task, and waits for its end; what it has forked ends with it. Whether it took too long.

    Args:
        process: the simulation.
        ending: a descriptor of the process, which can be read once that has ended.
        task: what it is told.
    """
    expired = threading.Event()

    def end() -> None:
        expired.set()
        _kill_group(process)

    timer = threading.Timer(task.timeout, end) if task.timeout is not None else None
    if timer is not None:
        timer.start()
    try:
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it is dead already
            try:
                json.dump(task.to_json(), process.stdin)
            finally:
                process.stdin.close()
        waiting = select.poll()
        waiting.register(ending, select.POLLIN)
        waiting.poll()
        _kill_group(process)
        process.wait()
    finally:
        if timer is not None:
            timer.cancel()
    return expired.is_set()


def _outcome_in(content: bytes) -> Outcome | None:
    """None where it was killed before or while it wrote."""
    try:
        outcome = json.loads(content)
    except ValueError:
        return None
    return outcome if isinstance(outcome, dict) else None


def _kill_group(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _tail(file: IO[str]) -> str:
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - _TAIL))
    return file.read()[-_TAIL:].strip()
