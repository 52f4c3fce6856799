"""Tracebacks and source locations in the user's program, without the frames of pysmpi and mpi4py."""

import contextlib
import functools
import importlib.util
import itertools
import linecache
import os
import queue
import re
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import ParamSpec, TypeVar

from pysmpi.errors import PysmpiError, RankError
from pysmpi.native import ffi, lib

__all__ = [
    "at_caller",
    "call_of",
    "is_ours",
    "place_of",
    "program_frame",
    "program_traceback",
    "register_our_files",
    "summary_of",
    "text_of",
]

_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")

_CALL = re.compile(r"([A-Za-z_][\w.\s]*)\(")
_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
# Folder of pysmpi's replacements of functions such as open.
_REPLACEMENTS = str(Path(_PACKAGE, "simulation", "isolation")) + os.sep


def _mpi4py_directory() -> str:
    spec = importlib.util.find_spec("mpi4py")
    return str(Path(spec.origin).parent) + os.sep if spec is not None and spec.origin is not None else "\0"


# Prefixes of files that belong to pysmpi or mpi4py, of the modules in which threads of a rank wait for each other, and
# of the module between a `with` statement and the context that it enters.
_OUR_PREFIXES = (
    _PACKAGE,
    _mpi4py_directory(),
    "mpi4py",
    "src/mpi4py",
    "<frozen ",
    threading.__file__,
    queue.__file__,
    contextlib.__file__,
)


def is_ours(filename: str) -> bool:
    """Return whether a file's frames are hidden: files of pysmpi and mpi4py, and modules of Python such as threading,
    queue and contextlib."""
    return filename.startswith(_OUR_PREFIXES)


def register_our_files() -> None:
    """Pass the prefixes of the files of pysmpi, mpi4py and NumPy to the C++ engine, which skips these files when it
    looks for source locations in the user's program."""
    numpy = importlib.util.find_spec("numpy")
    skipped = [*_OUR_PREFIXES, *(f"{folder}{os.sep}" for folder in (numpy and numpy.submodule_search_locations) or ())]
    prefixes = [ffi.new("char[]", prefix.encode()) for prefix in skipped]
    lib.pysmpi_set_foreign_prefixes(len(prefixes), ffi.new("char *[]", prefixes))


def program_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the user's program at or outside `frame`, or None if no frame is the program's."""
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def place_of(frame: FrameType | None) -> str | None:
    """Return ``file:line`` of the innermost frame of the user's program at or outside `frame`, or None."""
    frame = program_frame(frame)
    return None if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def call_of(frame: FrameType | None) -> str | None:
    """Return the function that the innermost frame of the user's program is calling, as written in its source.

    Examples are ``comm.recv`` and ``self.world.Split``. The result is None if the source is not available, or if the
    frame does something else, such as entering a context.
    """
    frame = program_frame(frame)
    if frame is None:
        return None
    positions = itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    line, last_line, column, _ = next(positions, (None, None, None, None))
    if line is None or last_line is None or column is None:
        return None
    lines = [linecache.getline(frame.f_code.co_filename, number) for number in range(line, last_line + 1)]
    text = b"".join(each.encode() for each in lines)[column:].decode(errors="replace")
    found = _CALL.match(text)
    return None if found is None else re.sub(r"\s", "", found[1])


def program_traceback(error: BaseException) -> TracebackType | None:
    """Return the traceback without the frames of pysmpi and mpi4py that precede the program's first frame, and without
    pysmpi's replacements of the standard library's functions."""
    shown = error.__traceback__
    while shown is not None and is_ours(shown.tb_frame.f_code.co_filename):
        shown = shown.tb_next
    entries = []
    while shown is not None:
        if not shown.tb_frame.f_code.co_filename.startswith(_REPLACEMENTS):
            entries.append(shown)
        shown = shown.tb_next
    for each in reversed(entries):
        shown = TracebackType(shown, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return shown


class _AtCaller:
    """Context that removes the traceback of an error of pysmpi; that of a `RankError` becomes the rank's traceback."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, PysmpiError | KeyboardInterrupt):
            cause = error.__cause__ if isinstance(error, RankError) else None
            error.__traceback__ = None if cause is None else program_traceback(cause)


def at_caller(function: Callable[_Arguments, _Value]) -> Callable[_Arguments, _Value]:
    """Decorate a function so that errors of pysmpi in it look as if the line that calls it had raised them.

    The traceback of a `RankError` continues with the frames of the rank, so that debuggers begin where the rank failed.
    Other errors, which are defects of pysmpi or the caller's own, keep their frames.
    """

    @functools.wraps(function)
    def call(*arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Value:
        with _AtCaller():  # CPython adds no entry for a frame that only passes an error on at the end of `with`
            return function(*arguments, **named)

    return call


def text_of(error: BaseException) -> str:
    """Return the error and its traceback (see `program_traceback`), formatted as the interpreter does."""
    return "".join(traceback.format_exception(type(error), error, program_traceback(error)))


def summary_of(error: BaseException) -> str:
    """Return the name of the error's class and, if it has one, its text, as the last line of a traceback does."""
    try:
        text = str(error)
    except Exception:
        text = "<exception str() failed>"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
