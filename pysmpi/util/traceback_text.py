"""Tracebacks and source locations in the user's program, without the frames of pysmpi and mpi4py."""

import contextlib
import importlib.util
import itertools
import linecache
import os
import queue
import re
import threading
import traceback
from pathlib import Path
from types import FrameType, TracebackType

from pysmpi.native import ffi, lib

__all__ = ["call_of", "is_ours", "place_of", "program_frame", "program_traceback", "register_our_files", "text_of"]

_CALL = re.compile(r"([A-Za-z_][\w.\s]*)\(")
_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep


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
    """Return whether the file belongs to pysmpi, to mpi4py, or to a module of Python whose frames are hidden as well
    (such as threading, queue or contextlib)."""
    return filename.startswith(_OUR_PREFIXES)


def register_our_files() -> None:
    """Pass the prefixes of the files of pysmpi, mpi4py and NumPy to the native side, which skips these files when it
    looks for source locations."""
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
    """Return the traceback without the frames of pysmpi and mpi4py that precede the program's first frame."""
    shown = error.__traceback__
    while shown is not None and is_ours(shown.tb_frame.f_code.co_filename):
        shown = shown.tb_next
    return shown


def text_of(error: BaseException) -> str:
    """Return the error and its traceback (see `program_traceback`), formatted as the interpreter does."""
    return "".join(traceback.format_exception(type(error), error, program_traceback(error)))
