"""Child process for one simulation of a study: start it, wait for its end, and collect its outcome."""

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
"""Outcome of a task: ``status`` ("done", "failed", "killed") and values for the table's columns."""

# One thread per rank and a fixed hash seed make runs repeatable; pysmpirun sets the same variables.
_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    **dict.fromkeys(THREAD_VARIABLES, "1"),
}
_TAIL = 2000  # characters kept from the end of a failed program's output
_KILLINGS = 5  # attempts before a point that keeps being killed is given up


def run_task(
    values: dict[str, Any],
    started: Callable[["subprocess.Popen[str]"], None] = lambda process: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Simulate a task in a separate process, and return its outcome. Start a killed process again, up to five in all.

    Args:
        values: the task as `Task.to_json` returns it.
        started: callback that receives each process when it has started.
        is_cancelled: callback that returns True if a killed process must not be started again.
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
            channel = files.enter_context(os.fdopen(os.memfd_create("outcome"), "rb"))
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "pysmpi.study.simulation", str(channel.fileno()), str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=log,
                env={**os.environ, **_ENVIRONMENT},
                text=True,
                process_group=0,  # Ctrl-C reaches only the study, which then ends the group
            )
            ending = _ending_of(process)
        except OSError as error:  # a problem of this machine, not of the point
            reason = error.strerror or str(error)
            return {"status": "killed", "kind": "process", "error": f"cannot start a process: {reason}"}
        files.callback(os.close, ending)
        started(process)
        expired = _wait(process, ending, task)
        # The outcome is written only at the end of the simulation; the process may still be killed after that.
        outcome: Outcome
        if (found := _outcome_in(channel.read())) is not None:
            outcome = found
        elif expired:
            outcome = {"status": "failed", "kind": "timeout", "error": f"exceeded the timeout of {task.timeout:g} s"}
        elif process.returncode < 0:
            outcome = {"status": "killed", "kind": "killed", "error": f"killed by signal {-process.returncode}"}
        else:
            reason = f"the process ended with status {process.returncode}"
            outcome = {"status": "failed", "kind": "process", "error": reason}
        outcome.setdefault("wall_time", time.perf_counter() - begun)
        if outcome["status"] == "done":
            output.seek(0)
            outcome["printed"] = printed_metrics(output)
        elif said := _tail(log) or _tail(output):
            outcome["error"] += f"; last output: {said}"
    return outcome


def _ending_of(process: "subprocess.Popen[str]") -> int:
    """Return a file descriptor (pidfd) that becomes readable when the process ends.

    If the descriptor cannot be created, kill the process and raise the error.
    """
    try:
        return os.pidfd_open(process.pid)
    except OSError:
        process.kill()
        process.wait()
        raise


def _wait(process: "subprocess.Popen[str]", ending: int, task: Task) -> bool:
    """Send the process its task, wait for its end, and kill the child processes that it has left.

    Return True if the process was killed because it exceeded the timeout.

    Args:
        process: the simulation.
        ending: pidfd of the process.
        task: the task to send.
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
        with contextlib.suppress(OSError):  # the process has ended already
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
    """Parse the outcome that the process has written, or return None if the process was killed before it had written
    all of it."""
    try:
        outcome = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return outcome if isinstance(outcome, dict) else None


def _kill_group(process: "subprocess.Popen[str]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _tail(file: IO[str]) -> str:
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - _TAIL))
    return file.read()[-_TAIL:].strip()
