"""Reading of replay programs; the first lines of a file determine its format."""

import os
import pathlib
import stat
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from pysmpi.errors import PysmpiError, did_you_mean
from pysmpi.native import ffi, lib
from pysmpi.simulation.instruments.ti_trace import INDEX
from pysmpi.util.quantities import counted

__all__ = ["Goal", "ReplayError", "ReplayProgram", "read_program"]

_LOOKED_AT = 4096  # bytes read to determine the format
_SHOWN = 80  # largest number of characters shown of a word in an error
_MOST_RANKS: int = lib.PYSMPI_REPLAY_MOST_RANKS


class ReplayError(PysmpiError):
    """Error in a replay program; the message starts with ``file:line`` if the program is in a file."""

    slug = "replay"


class ReplayProgram(ABC):
    """Actions of all ranks (messages, computations, collectives), which the engine runs without Python.

    The engine holds one program at a time: loading a program removes the one before, which must be loaded again before
    it can run.

    Attributes:
        ranks: number of ranks.
        actions: number of actions of all ranks together.
    """

    ranks: int
    actions: int
    _loaded: "ClassVar[ReplayProgram | None]" = None

    def load(self) -> None:
        """Load the program into the engine, unless the engine holds it already.

        Raises:
            ReplayError: if a file cannot be read, or is malformed.
        """
        if ReplayProgram._loaded is not self:
            ReplayProgram._loaded = None
            self._load()
            self.actions = lib.pysmpi_replay_actions()
            ReplayProgram._loaded = self

    def begin(self) -> None:
        """Start the program on the ranks of a new simulation."""
        self.load()
        lib.pysmpi_replay_begin()
        ReplayProgram._loaded = None

    @abstractmethod
    def _load(self) -> None: ...

    @abstractmethod
    def place(self, rank: int, line: int) -> str | None:
        """Return ``file:line`` of a line of a rank's program, or None if the program is not in a file."""


class Traces(ReplayProgram):
    """Replay program in time-independent traces: one file per rank, or one shared file."""

    def __init__(self, paths: list[pathlib.Path], ranks: int, *, shared: bool) -> None:
        self.ranks = ranks
        self._paths = paths
        self._shared = shared

    def _load(self) -> None:
        lib.pysmpi_replay_traces(self.ranks)
        for rank, path in enumerate(self._paths):
            of = -1 if self._shared else rank
            _read_text(path, lambda text, wrong, of=of: lib.pysmpi_replay_read_trace(of, text, len(text), wrong))

    def place(self, rank: int, line: int) -> str | None:
        """Return ``file:line`` of a line of a rank's trace; line 0 stands for the end of the trace."""
        path = self._paths[0 if self._shared else rank]
        return f"{path}:{line}" if line else f"{path} (end)"


class Goal(ReplayProgram):
    """Replay program in GOAL, the text format of LogGOPSim."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        self.ranks = 0

    def _load(self) -> None:
        self.ranks = _read_text(self._path, lambda text, wrong: lib.pysmpi_replay_read_goal(text, len(text), wrong))

    def place(self, rank: int, line: int) -> str | None:
        """Return ``file:line`` of a line of the text; line 0 stands for the end of the text."""
        return f"{self._path}:{line}" if line else f"{self._path} (end)"


def read_program(path: str | os.PathLike[str], ranks: int | None = None) -> ReplayProgram:
    """Read a replay program.

    Args:
        path: path of one of: a GOAL text of LogGOPSim; a list of time-independent traces, one file per rank, as written
            by ``smpirun -trace-ti`` and ``pysmpirun --trace-ti``; the directory that ``pysmpirun --trace-ti`` writes;
            one trace with the lines of all ranks.
        ranks: number of ranks, or None if the file determines it.

    Raises:
        ReplayError: if a file cannot be read, is malformed, or has another number of ranks.
    """
    source = _list_in(pathlib.Path(path))
    begin = [line for line in _begin_of(source).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not begin:
        raise ReplayError(f"{source}: the file is empty")
    program: ReplayProgram
    if begin[0].split()[0] in {"num_ranks", "rank"} or begin[0].lstrip().startswith(("//", "/*")):
        program = Goal(source)
    elif begin[0].split()[0].isdecimal() and len(begin[0].split()) > 1:
        program = _shared_trace(source, ranks)
    else:
        program = _listed_traces(source, ranks)
    program.load()
    if ranks is not None and program.ranks != ranks:
        raise ReplayError(f"{source}: the program has {counted(program.ranks, 'rank')}, but -np asks for {ranks:,}")
    return program


def _list_in(path: pathlib.Path) -> pathlib.Path:
    """Return the path of the file that lists the traces of a directory, or `path` unchanged if it is not a
    directory."""
    if not os.path.isdir(path):  # unlike pathlib, returns False for names that no file can have
        return path
    index = path / INDEX
    if os.path.isfile(index):
        return index
    beside = path.with_name(path.name.removesuffix("_files"))  # smpirun adds this suffix to the directory's name
    hint = f"; did you mean {beside}?" if beside != path and os.path.isfile(beside) else ""
    raise ReplayError(
        f"{path}: the directory has no list of traces {INDEX} as written by pysmpirun --trace-ti; name a file, "
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
        raise ReplayError(f"{path}: the number of ranks must be between 1 and {_MOST_RANKS}, not {ranks}")
    return Traces([path], ranks, shared=True)


def _rank(digits: bytes, where: str) -> int:
    if len(digits) > 9 or int(digits) >= _MOST_RANKS:
        raise ReplayError(
            f"{where}: the rank {_short(digits.decode())} at the start of the line is too large; the "
            f"limit is {_MOST_RANKS - 1}"
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
        # smpirun writes names relative to its working directory; the directory may have been moved since.
        places = (index.parent / name, pathlib.Path(name), index.parent / pathlib.Path(name).name)
        found = [path for path in places if os.path.isfile(path)]
        if not found:
            raise ReplayError(
                f"{index}:{number}: file {_short(name)!r} was not found, neither in the working directory "
                f"nor in {index.parent}; "
                "a list of traces has one file name per line, a trace has lines like '0 compute 1e9'"
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
            raise ReplayError(
                f"{path}: not a regular file; pipes and devices are not supported, since the file is read "
                "more than once"
            )
        with path.open("rb") as file:
            return file.read(_LOOKED_AT).decode(errors="replace")
    except (OSError, ValueError) as error:  # a path with a null byte is a ValueError
        raise _unreadable(path, error) from None


def _unreadable(path: pathlib.Path, error: Exception) -> ReplayError:
    return ReplayError(f"{path}: cannot read the file: {error.strerror if isinstance(error, OSError) else error}")


def _read_text(path: pathlib.Path, read: Any) -> int:
    """Pass a file's bytes to `read`, a native reader, and return its result.

    If the reader finds an error, raise it as a `ReplayError` with ``file:line``.
    """
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
        what += f" {word!r}{did_you_mean(word, valid.split(', '))} (valid: {valid})"
    raise ReplayError(f"{path}:{wrong.line}: {what}")
