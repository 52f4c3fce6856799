"""What a skeleton comes from: a file, of which the first lines tell the form."""

import os
import pathlib
import stat
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pysmpi.errors import PysmpiError, nearest
from pysmpi.instruments.ti_trace import INDEX
from pysmpi.native import ffi, lib

__all__ = ["Goal", "Skeleton", "SkeletonError", "read_skeleton"]

_LOOKED_AT = 4096  # bytes of a file that tell what it is
_SHOWN = 80  # characters of a word in an error
_MOST_RANKS: int = lib.PYSMPI_SKELETON_MOST_RANKS


class SkeletonError(PysmpiError):
    """A skeleton is malformed, or its ranks cannot go on; the message begins with file:line where there is one."""

    slug = "skeleton"


class Skeleton(ABC):
    """A program of ranks without Python. What has been read last lies in the engine; another one is read again.

    Attributes:
        ranks: how many there are.
        actions: of all of them together.
    """

    ranks: int
    actions: int
    _loaded: "ClassVar[Skeleton | None]" = None

    def load(self) -> None:
        """Has the engine hold it, unless it does already.

        Raises:
            SkeletonError: a file cannot be read, or is malformed.
        """
        if Skeleton._loaded is not self:
            Skeleton._loaded = None
            self._load()
            self.actions = lib.pysmpi_skeleton_actions()
            Skeleton._loaded = self

    def begin(self) -> None:
        """Has the ranks of the simulation that has just begun run it."""
        self.load()
        lib.pysmpi_skeleton_begin()
        Skeleton._loaded = None

    @abstractmethod
    def _load(self) -> None: ...

    @abstractmethod
    def place(self, rank: int, line: int) -> str | None:
        """file:line of a rank's text."""


class Traces(Skeleton):
    """Time-independent traces: a file for each rank, or one that all share."""

    def __init__(self, paths: list[pathlib.Path], ranks: int, *, shared: bool) -> None:
        self.ranks = ranks
        self._paths = paths
        self._shared = shared

    def _load(self) -> None:
        lib.pysmpi_skeleton_traces(self.ranks)
        for rank, path in enumerate(self._paths):
            of = -1 if self._shared else rank
            _read_text(path, lambda text, wrong, of=of: lib.pysmpi_skeleton_read_trace(of, text, len(text), wrong))

    def place(self, rank: int, line: int) -> str | None:
        """As the base class has it."""
        path = self._paths[0 if self._shared else rank]
        return f"{path}:{line}" if line else f"{path} (end)"


class Goal(Skeleton):
    """LogGOPSim's GOAL text."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self.ranks = 0

    def _load(self) -> None:
        self.ranks = _read_text(self._path, lambda text, wrong: lib.pysmpi_skeleton_read_goal(text, len(text), wrong))

    def place(self, rank: int, line: int) -> str | None:
        """As the base class has it."""
        return f"{self._path}:{line}" if line else f"{self._path} (end)"


def read_skeleton(path: str | os.PathLike[str], ranks: int | None = None) -> Skeleton:
    """Read a skeleton.

    Args:
        path: of a file of LogGOPSim's GOAL text; or of a list of time-independent traces, one file a rank, as
            ``smpirun -trace-ti`` and ``pysmpirun --trace-ti`` write it, or of the directory in which the latter writes
            it; or of one trace with the lines of all ranks.
        ranks: how many there are, where the file does not say otherwise.

    Raises:
        SkeletonError: a file cannot be read, or is malformed; or there are more or fewer ranks.
    """
    source = _list_in(pathlib.Path(path))
    begin = [line for line in _begin_of(source).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not begin:
        raise SkeletonError(f"{source}: there is nothing in it")
    skeleton: Skeleton
    if begin[0].split()[0] in {"num_ranks", "rank"} or begin[0].lstrip().startswith(("//", "/*")):
        skeleton = Goal(source)
    elif begin[0].split()[0].isdecimal() and len(begin[0].split()) > 1:
        skeleton = _shared_trace(source, ranks)
    else:
        skeleton = _listed_traces(source, ranks)
    skeleton.load()
    if ranks is not None and skeleton.ranks != ranks:
        raise SkeletonError(f"{source}: it is of {skeleton.ranks} ranks, and not of {ranks}")
    return skeleton


def _list_in(path: pathlib.Path) -> pathlib.Path:
    """Return the list of traces where the path is that of a directory; else the path."""
    if not os.path.isdir(path):  # False, as pathlib has it not, for names that no file can have
        return path
    index = path / INDEX
    if os.path.isfile(index):
        return index
    beside = path.with_name(path.name.removesuffix("_files"))  # as smpirun has it
    hint = f"; {beside} seems to be that" if beside != path and os.path.isfile(beside) else ""
    raise SkeletonError(
        f"{path}: it is a directory, without the list of traces {INDEX} of pysmpirun --trace-ti; a skeleton is a file, "
        f"such as the list that smpirun -trace-ti writes beside its directory{hint}"
    )


def _shared_trace(path: pathlib.Path, ranks: int | None) -> Traces:
    if ranks is None:
        ranks = 1
        try:
            with path.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    if (words := line.split(None, 1)) and words[0].isdigit():
                        ranks = max(ranks, 1 + _rank(words[0], f"{path}:{number}"))
        except OSError as error:
            raise _unreadable(path, error) from None
    if not 1 <= ranks <= _MOST_RANKS:
        raise SkeletonError(f"{path}: a skeleton has 1 to {_MOST_RANKS} ranks, and not {ranks}")
    return Traces([path], ranks, shared=True)


def _rank(digits: bytes, where: str) -> int:
    if len(digits) > 9 or int(digits) >= _MOST_RANKS:
        raise SkeletonError(
            f"{where}: a line begins with its rank, of 0 to {_MOST_RANKS - 1}, and not with {_short(digits.decode())}"
        )
    return int(digits)


def _listed_traces(index: pathlib.Path, ranks: int | None) -> Traces:
    try:
        lines = [line.strip() for line in index.read_text().splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(index, error) from None
    paths = []
    for number, name in enumerate(lines, 1):
        if not name or name.startswith("#"):
            continue
        # smpirun writes names as the directory has them where it ran, and reads them there.
        places = (index.parent / name, pathlib.Path(name), index.parent / pathlib.Path(name).name)  # it may have moved
        found = [path for path in places if os.path.isfile(path)]
        if not found:
            raise SkeletonError(
                f"{index}:{number}: there is no file {_short(name)!r}, neither here nor in {index.parent}; "
                "a list of traces has the name of one file a line, and a trace lines like '0 compute 1e9'"
            )
        paths.append(found[0])
    if len(paths) == 1:
        return _shared_trace(paths[0], ranks)
    return Traces(paths, len(paths), shared=False)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _begin_of(path: pathlib.Path) -> str:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise SkeletonError(f"{path}: it is read more than once, and so has to be a file, not a pipe or a device")
        with path.open("rb") as file:
            return file.read(_LOOKED_AT).decode(errors="replace")
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise _unreadable(path, error) from None


def _unreadable(path: pathlib.Path, error: Exception) -> SkeletonError:
    return SkeletonError(f"{path}: it cannot be read: {error.strerror if isinstance(error, OSError) else error}")


def _read_text(path: pathlib.Path, read: Any) -> int:
    """Hands a file's bytes to the native reader, whose complaint becomes an error; returns what it returns."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    wrong = ffi.new("pysmpi_text_error *")
    found: int = read(ffi.from_buffer(text), wrong)
    if found >= 0:
        return found
    what, word, valid = (ffi.string(each).decode(errors="replace") for each in (wrong.text, wrong.word, wrong.valid))
    if word:
        similar = nearest(word, valid.split(", "))
        what += f" {word!r}{f'; did you mean {similar!r}?' if similar else ''} (valid: {valid})"
    raise SkeletonError(f"{path}:{wrong.line}: {what}")
