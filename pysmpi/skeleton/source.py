"""What a skeleton comes from: a file, of which the first lines tell the form."""

import os
import pathlib
from abc import ABC, abstractmethod
from typing import Any

from pysmpi.errors import PysmpiError, nearest
from pysmpi.native import ffi, lib

__all__ = ["Skeleton", "SkeletonError", "read_skeleton"]

_LOOKED_AT = 4096  # bytes of a file that tell what it is


class SkeletonError(PysmpiError):
    """A skeleton is malformed, or its ranks cannot go on; the message begins with file:line where there is one."""

    slug = "skeleton"


class Skeleton(ABC):
    """A program of ranks without Python, as it was read.

    Attributes:
        ranks: how many there are.
        actions: of all of them together.
        form: what it has been read from, in words.
    """

    ranks: int
    actions: int
    form: str

    @abstractmethod
    def begin(self) -> None:
        """Has the ranks of the simulation that has just begun run it; once."""

    @abstractmethod
    def place(self, rank: int, line: int) -> str | None:
        """file:line of a rank's text."""


class Traces(Skeleton):
    """Time-independent traces: a file for each rank, or one that all share."""

    form = "time-independent trace"

    def __init__(self, paths: list[pathlib.Path], ranks: int) -> None:
        self.ranks = ranks
        self._paths = paths
        lib.pysmpi_skeleton_traces(ranks)
        for rank, path in enumerate(paths):
            _read_text(path, lambda text, error, rank=rank: lib.pysmpi_skeleton_read_trace(
                rank if len(paths) > 1 else -1, text, len(text), error))  # fmt: skip
        self.actions = lib.pysmpi_skeleton_actions()

    def begin(self) -> None:
        """As the base class has it."""
        lib.pysmpi_skeleton_begin()

    def place(self, rank: int, line: int) -> str | None:
        """As the base class has it."""
        path = self._paths[rank if len(self._paths) > 1 else 0]
        return f"{path}:{line}" if line else f"{path} (end)"


def read_skeleton(path: str | os.PathLike[str], ranks: int | None = None) -> Skeleton:
    """Reads a skeleton; the one that was read before and has not begun is forgotten.

    Args:
        path: of a file of LogGOPSim's GOAL text; or of a list of time-independent traces, one file a rank, as
            ``smpirun -trace-ti`` and ``pysmpirun --trace-ti`` write it; or of one trace with the lines of all ranks.
        ranks: how many there are, where the file does not say otherwise.

    Raises:
        SkeletonError: a file cannot be read, or is malformed; or there are more or fewer ranks.
    """
    source = pathlib.Path(path)
    begin = [line for line in _begin_of(source).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not begin:
        raise SkeletonError(f"{source}: there is nothing in it")
    if begin[0].split()[0].isdecimal() and len(begin[0].split()) > 1:
        return _shared_trace(source, ranks)
    return _listed_traces(source, ranks)


def _shared_trace(path: pathlib.Path, ranks: int | None) -> Traces:
    if ranks is None:
        try:
            with path.open("rb") as lines:
                ranks = 1 + max(
                    int(words[0]) for line in lines if (words := line.split(None, 1)) and words[0].isdigit()
                )
        except OSError as error:
            raise _unreadable(path, error) from None
    return Traces([path], ranks)


def _listed_traces(index: pathlib.Path, ranks: int | None) -> Traces:
    try:
        names = [line.strip() for line in index.read_text().splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(index, error) from None
    paths = []
    for number, name in enumerate(names, 1):
        # smpirun writes names as the directory has them where it ran, and reads them there.
        found = [path for path in (index.parent / name, pathlib.Path(name)) if path.is_file()]
        if not found:
            raise SkeletonError(
                f"{index}:{number}: there is no file {name!r}, neither here nor in {index.parent}; "
                "a list of traces has the name of one file a line, and a trace lines like '0 compute 1e9'"
            )
        paths.append(found[0])
    if len(paths) == 1:
        return _shared_trace(paths[0], ranks)
    if ranks is not None and ranks != len(paths):
        raise SkeletonError(f"{index}: {len(paths)} traces are listed, for {ranks} ranks")
    return Traces(paths, len(paths))


def _begin_of(path: pathlib.Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_LOOKED_AT).decode(errors="replace")
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: pathlib.Path, error: Exception) -> SkeletonError:
    return SkeletonError(f"{path}: it cannot be read: {error.strerror if isinstance(error, OSError) else error}")


def _read_text(path: pathlib.Path, read: Any) -> None:
    """Hands a file's bytes to the native reader, whose complaint becomes an error."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    wrong = ffi.new("pysmpi_text_error *")
    if read(ffi.from_buffer(text), wrong) == 0:
        return
    what, word, valid = (ffi.string(each).decode(errors="replace") for each in (wrong.text, wrong.word, wrong.valid))
    if word:
        similar = nearest(word, valid.split(", "))
        what += f" {word!r}{f'; did you mean {similar!r}?' if similar else ''} (valid: {valid})"
    raise SkeletonError(f"{path}:{wrong.line}: {what}")
