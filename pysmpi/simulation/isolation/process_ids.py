"""Process ids of ranks: ``os.getpid()``, the files of ``/proc`` and psutil agree with each other.

All ranks live in one process of the operating system, but each has a process id of its own. Names below
``/proc/<id of a rank>`` lead to the files of the real process, which describe all ranks together: memory, open files,
processor time. The real process id in these files is replaced by that of the rank.
"""

import builtins
import contextlib
import functools
import io
import os
import re
import sys
from collections.abc import Callable
from typing import Any

from pysmpi.native import lib
from pysmpi.simulation.isolation.child_lifetimes import has_children, keep_pace
from pysmpi.simulation.isolation.current import running_rank
from pysmpi.simulation.isolation.modules import when_loaded
from pysmpi.simulation.isolation.patching import Patches
from pysmpi.simulation.isolation.process import PID_OF_RANK_0

__all__ = ["install"]

_PROC = re.compile(r"/proc/(self|thread-self|\d+)(?:/|$)")
_open_file = io.open
_NAMED_BY_ID = re.compile(r"/proc/(self|\d+)/(stat|status)$")  # files that contain the process id


def _rank_of(pid: int) -> int:
    """Return the rank that has this process id, or -1 if none has it."""
    rank = pid - PID_OF_RANK_0
    return rank if 0 <= rank < lib.pysmpi_rank_count() else -1


def install(patches: Patches) -> None:
    """Make ``/proc`` and psutil show the process ids of ranks."""
    _install_files(patches)
    when_loaded(patches, "psutil", lambda: _install_psutil(patches, sys.modules["psutil"]))


def _text_of(path: object) -> str | None:
    """Return a path below /proc as a string if a rank uses it; None for any other path, and outside ranks."""
    if isinstance(path, os.PathLike):
        path = path.__fspath__()
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    return path if isinstance(path, str) and path.startswith("/proc/") and running_rank() >= 0 else None


def _real_path(path: Any) -> Any:
    """Return the path in which the process id of a rank, if there is one, is replaced by ``self``, the real process."""
    text = _text_of(path)
    found = None if text is None else _PROC.match(text)
    if text is None or found is None or not found[1].isdigit() or _rank_of(int(found[1])) < 0:
        return path
    return f"/proc/self{text[found.end(1) :] or '/'}"  # with the slash, it is the directory and not the link


def _rank_named_in(path: Any) -> int:
    """Return the rank whose process id is to be shown in a file of /proc such as ``/proc/self/stat``, or -1 for other
    files."""
    text = _text_of(path)
    found = None if text is None else _NAMED_BY_ID.match(text)
    if found is None:
        return -1
    return running_rank() if found[1] == "self" else _rank_of(int(found[1]))


def _install_files(patches: Patches) -> None:
    open_file = _expecting(_open_file)

    def open_of_rank(file: Any, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        rank = _rank_named_in(file)
        if rank < 0:
            return open_file(_real_path(file), mode, *arguments, **named)
        with _open_file(_real_path(file), "rb") as real:
            content = re.sub(rb"\b%d\b" % _real_pid(), b"%d" % (PID_OF_RANK_0 + rank), real.read())
        raw = io.BytesIO(content)
        texts = {name: value for name, value in named.items() if name in {"encoding", "errors", "newline"}}
        return raw if "b" in mode else io.TextIOWrapper(raw, *arguments[1:4], **texts)

    for owner in (builtins, io):
        patches.set(owner, "open", open_of_rank)

    def translating(function: Callable[..., Any]) -> Callable[..., Any]:
        function = _expecting(function)

        def call(path: Any = ".", *arguments: Any, **named: Any) -> Any:
            return function(_real_path(path), *arguments, **named)

        return call

    for name in ("open", "stat", "lstat", "listdir", "scandir", "access"):
        original, replaced = getattr(os, name), translating(getattr(os, name))
        if name == "listdir":
            replaced = _listing(replaced)
        patches.set(os, name, replaced)
        for features in (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks):
            if original in features:
                features.add(replaced)
                patches.at_undo(functools.partial(features.discard, replaced))

    read_link = os.readlink

    def readlink(path: Any, *arguments: Any, **named: Any) -> Any:
        if _text_of(path) == "/proc/self":
            return str(PID_OF_RANK_0 + running_rank())
        return read_link(_real_path(path), *arguments, **named)

    patches.set(os, "readlink", readlink)

    def of_real_process(function: Callable[..., Any], place: int) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            if len(arguments) > place and running_rank() >= 0 and _rank_of(arguments[place]) >= 0:
                arguments = (*arguments[:place], 0, *arguments[place + 1 :])  # 0 means the calling process
            return function(*arguments)

        return call

    for name, place in (("getpgid", 0), ("getsid", 0), ("getpriority", 1), ("setpriority", 1)):
        patches.set(os, name, of_real_process(getattr(os, name), place))


def _expecting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that looks for a file as `function` does.

    If the file does not exist, and the rank has child processes that may be about to write it, the function looks again
    until their real run time has reached their simulated run time.
    """

    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except FileNotFoundError:
            if not has_children():
                raise

        def look() -> list[Any]:
            with contextlib.suppress(FileNotFoundError):
                return [function(*arguments, **named)]
            return []

        found = keep_pace(look)
        return found[0] if found else function(*arguments, **named)

    return call


def _listing(list_directory: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """Return a replacement of os.listdir, which lists /proc with the rank's process id instead of the real one."""

    def call(path: Any = ".", *arguments: Any, **named: Any) -> list[Any]:
        names = list_directory(path, *arguments, **named)
        if path not in ("/proc", b"/proc", "/proc/", b"/proc/") or running_rank() < 0:
            return names
        real, own = (str(pid) if isinstance(path, str) else b"%d" % pid for pid in (_real_pid(), os.getpid()))
        return [own if name == real else name for name in names]

    return call


def _real_pid() -> int:
    with _open_file("/proc/self/stat", "rb") as status:
        return int(status.read().split()[0])


def _install_psutil(patches: Patches, psutil: Any) -> None:
    kind = psutil._psplatform.Process
    prepare = kind.__init__

    def prepare_of_rank(self: Any, pid: int) -> None:
        prepare(self, _real_pid() if running_rank() >= 0 and _rank_of(pid) >= 0 else pid)

    patches.set(kind, "__init__", prepare_of_rank)
