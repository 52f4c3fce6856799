"""Output files of ranks: ``DIRECTORY/rank-3.out`` and ``rank-3.err`` for rank 3."""

import os
import pathlib
import re
import secrets
import shutil
from collections import OrderedDict

from pysmpi.errors import LaunchError

__all__ = ["RankFiles", "make_directory"]

_MOST_OPEN = 64  # largest number of files open at a time; many systems allow a process 1,024
_NAME = re.compile(r"rank-\d+\.(out|err)")


def make_directory(path: str | os.PathLike[str], ranks: int) -> None:
    """Create the directory with an empty file for each rank and stream, atomically replacing an earlier run's files.

    Raises:
        LaunchError: the directory contains other files, or cannot be created.
    """
    directory = pathlib.Path(path)
    new, old = (directory.absolute().with_name(f".{directory.name}.{secrets.token_hex(4)}") for _ in range(2))
    try:
        if directory.exists():
            foreign = [] if directory.is_dir() else [directory.name]
            foreign = foreign or [name for name in os.listdir(directory) if not _NAME.fullmatch(name)]
            if foreign:
                raise LaunchError(
                    f"--rank-stdout {path}: {min(foreign)!r} already exists; give a new directory, or one that "
                    "contains only the files of an earlier run"
                )
        new.mkdir(parents=True)
        for rank in range(ranks):
            for suffix in ("out", "err"):
                os.close(os.open(new / f"rank-{rank}.{suffix}", os.O_CREAT | os.O_WRONLY, 0o666))
        if directory.exists():
            directory.rename(old)
        new.rename(directory)
    except OSError as error:
        raise LaunchError(f"--rank-stdout {path}: cannot create the directory: {error.strerror}") from None
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


class RankFiles:
    """Output files of all ranks for one stream. Text is written at once, and survives a crash of this process.

    Args:
        directory: directory of the files.
        suffix: suffix of their names: "out" for standard output, "err" for standard error.

    Attributes:
        failure: error text that names an incomplete file and the reason, or an empty string.
    """

    def __init__(self, directory: str | os.PathLike[str], suffix: str) -> None:
        self._directory = os.path.abspath(directory)
        self._suffix = suffix
        self.failure = ""
        self._open: OrderedDict[int, int] = OrderedDict()  # file descriptors by rank, the last used at the end
        self._lent: dict[int, int] = {}  # file descriptors that ranks have asked for, by rank

    def write(self, rank: int, content: bytes) -> None:
        """Append to the rank's file."""
        descriptor = self._descriptor(rank)
        while content:
            content = content[os.write(descriptor, content) :]

    def finish(self, rank: int, content: bytes) -> None:
        """Append to the rank's file what the rank cannot write itself any more; if that fails, set `failure`."""
        try:
            self.write(rank, content)
        except OSError as error:
            self.failure = self.failure or (
                f"--rank-stdout: rank-{rank}.{self._suffix} is incomplete: {error.strerror or error}"
            )

    def fileno(self, rank: int) -> int:
        """Return the descriptor of the rank's file, which stays open because programs may pass it on."""
        if rank not in self._lent:
            self._lent[rank] = self._open_file(rank)
        return self._lent[rank]

    def close(self) -> None:
        """Close all files."""
        for descriptor in [*self._open.values(), *self._lent.values()]:
            os.close(descriptor)
        self._open.clear()
        self._lent.clear()

    def _descriptor(self, rank: int) -> int:
        found = self._open.pop(rank, None)
        if found is None:
            found = self._open_file(rank)
            if len(self._open) >= _MOST_OPEN:
                os.close(self._open.popitem(last=False)[1])
        self._open[rank] = found
        return found

    def _open_file(self, rank: int) -> int:
        path = os.path.join(self._directory, f"rank-{rank}.{self._suffix}")
        return os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY | os.O_CLOEXEC, 0o666)
