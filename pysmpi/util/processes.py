"""Runs that know nothing of each other: each in a process of its own, which begins as a copy of this one."""

import contextlib
import io
import os
import pickle
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

__all__ = ["run_apart"]

_Value = TypeVar("_Value")


class _Process(NamedTuple):
    number: int
    answer: int  # file descriptor


def run_apart(
    actions: Sequence[Callable[[], _Value]],
    *,
    lost: Callable[[int, str], _Value],
    at_once: int = 1,
    quiet: bool = False,
) -> list[_Value]:
    """What the actions return, each called in a process of its own.

    Args:
        actions: what they return is pickled.
        lost: makes the answer of one whose process has ended without any, of its place and how it ended.
        at_once: how many processes run at a time.
        quiet: nothing that they print is seen, and they find no input.
    """
    processes: list[_Process] = []
    answers: list[_Value] = []
    for place in range(len(actions)):
        while len(processes) < min(place + at_once, len(actions)):
            processes.append(_start(actions[len(processes)], quiet=quiet))
        content, how = _end_of(processes[place])
        answers.append(pickle.loads(content) if content else lost(place, how))
    return answers


def _start(action: Callable[[], object], *, quiet: bool) -> _Process:
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    with warnings.catch_warnings():  # that a library of linear algebra has threads, which it looks after itself
        warnings.simplefilter("ignore", DeprecationWarning)
        number = os.fork()
    if number != 0:
        os.close(writing)
        return _Process(number, reading)
    status = 1
    try:
        os.close(reading)
        with _silence() if quiet else contextlib.nullcontext():
            answer = pickle.dumps(action())
        with open(writing, "wb") as stream:
            stream.write(answer)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """The process has neither input nor output, whoever writes."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def _end_of(process: _Process) -> tuple[bytes, str]:
    """Its answer, empty when there is none, and how it has ended."""
    try:
        with open(process.answer, "rb") as stream:
            content = stream.read()
    finally:  # Ctrl-C, which interrupts this, goes to the other process too
        _, status = os.waitpid(process.number, 0)
    code = os.waitstatus_to_exitcode(status)
    return content if code == 0 else b"", f"signal {-code}" if code < 0 else f"exit status {code}"
