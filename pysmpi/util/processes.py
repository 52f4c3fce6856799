"""Calls of independent functions, each in its own process that is forked from the current one."""

import contextlib
import io
import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from pysmpi.util.stop_signals import Terminated

__all__ = ["forked", "run_apart"]

_Value = TypeVar("_Value")


class _Process(NamedTuple):
    number: int
    answer: int  # file descriptor from which the parent reads the result


def run_apart(
    actions: Sequence[Callable[[], _Value]],
    *,
    lost: Callable[[int, str], _Value],
    parallel: int = 1,
    quiet: bool = False,
    ended: Callable[[_Value], None] = lambda value: None,
) -> list[_Value]:
    """Call each action in its own process, and return the results in order.

    Args:
        actions: functions without arguments; their results are pickled.
        lost: function that returns the result to use for a process that ended without one. Its arguments are the index
            of the action, and the reason, such as "signal 9".
        parallel: number of processes that run in parallel (default 1).
        quiet: whether to give the processes no input and discard their output.
        ended: function that is called with each result, in the order of the actions, as soon as it is available.
    """
    processes: list[_Process] = []
    answers: list[_Value] = []
    try:
        for place in range(len(actions)):
            while len(processes) < min(place + parallel, len(actions)):
                processes.append(_start(actions[len(processes)], quiet=quiet))
            content, how = _end_of(processes[place])
            answers.append(pickle.loads(content) if content else lost(place, how))
            ended(answers[-1])
    except KeyboardInterrupt as stop:
        _stop(processes[len(answers) :], stop)
        raise
    return answers


def _stop(processes: Sequence[_Process], stop: KeyboardInterrupt) -> None:
    """Wait for processes to end after this process has received a signal.

    SIGTERM and SIGHUP are sent on to them. SIGINT is not, because the terminal sends it to all processes.
    """
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            if isinstance(stop, Terminated):
                os.kill(process.number, stop.number)
    for process in processes:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process.number, 0)


def forked() -> int:
    """Fork this process without Python's warning about threads, because linear algebra libraries can handle forks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _start(action: Callable[[], object], *, quiet: bool) -> _Process:
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    number = forked()
    if number != 0:
        os.close(writing)
        return _Process(number, reading)
    status = 1
    sys.excepthook = sys.__excepthook__  # a notebook or other host of the parent does not show this process's errors
    try:
        os.close(reading)
        with _silence() if quiet else contextlib.nullcontext():
            answer = pickle.dumps(action())
        with contextlib.suppress(BrokenPipeError), open(writing, "wb") as stream:  # the parent may have been stopped
            stream.write(answer)
        status = 0
    except KeyboardInterrupt:
        pass  # the parent reports it
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Redirect input and output of the process to the null device."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _end_of(process: _Process) -> tuple[bytes, str]:
    """Wait until a process ends; return its pickled result (empty if it failed) and its exit status as text."""
    with open(process.answer, "rb") as stream:
        content = stream.read()
    _, status = os.waitpid(process.number, 0)
    code = os.waitstatus_to_exitcode(status)
    return content if code == 0 else b"", f"signal {-code}" if code < 0 else f"exit status {code}"
