"""Records a run as time-independent traces: a file for each rank and a list of them, which appear when all is well."""

import os
import pathlib
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from pysmpi.errors import LaunchError, PysmpiError
from pysmpi.native import ffi, lib

__all__ = ["INDEX", "Recording", "RecordingError", "recording"]

INDEX = "index.txt"


class RecordingError(PysmpiError):
    """No trace has been written: the form has no words for what the program does, or a file cannot be written."""

    slug = "recording"


class Recording:
    """The traces of a run that is under way.

    Attributes:
        failure: why there is no trace; None when there is one, or the run itself has failed.
    """

    def __init__(self, directory: pathlib.Path, ranks: int) -> None:
        self.failure: RecordingError | None = None
        self._directory = directory
        self._ranks = ranks
        # Beside it, so that it can be renamed; of no name that a run may have left that was killed.
        self._partial = directory.absolute().with_name(f".{directory.name}.{secrets.token_hex(4)}")
        try:
            if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
                raise LaunchError(f"--trace-ti {directory}: it is there already, and not an empty directory")
            self._partial.mkdir(parents=True)
        except OSError as error:
            raise LaunchError(f"--trace-ti {directory}: it cannot be made: {error.strerror}") from None

    def keep(self) -> None:
        """The run has come to its end: its traces take their place."""
        written = lib.pysmpi_end_recording() == 0
        inexpressible = ffi.string(lib.pysmpi_inexpressible()).decode()
        if inexpressible:
            self.failure = RecordingError(
                f"no trace is left in {self._directory}: time-independent traces have no words for {inexpressible}"
            )
            return
        try:
            if not written:
                raise OSError(0, "a rank's file is not complete")
            names = (f"{self._directory.absolute()}/rank-{rank}.txt\n" for rank in range(self._ranks))
            (self._partial / INDEX).write_text("".join(names))
            self._partial.rename(self._directory)
        except OSError as error:
            self.failure = RecordingError(f"no trace is left in {self._directory}: {error.strerror}")

    def discard(self) -> None:
        """Removes what is left of a trace that has not taken its place."""
        shutil.rmtree(self._partial, ignore_errors=True)


@contextmanager
def recording(directory: str | os.PathLike[str] | None, ranks: int) -> Iterator[Recording | None]:
    """Has the actions of the simulation's ranks recorded; they are kept if `keep` is called.

    Args:
        directory: where the traces are to be; None: nothing is recorded.
        ranks: how many there are.

    Raises:
        LaunchError: the directory holds something, or cannot be made.
    """
    if directory is None:
        yield None
        return
    traces = Recording(pathlib.Path(directory), ranks)
    lib.pysmpi_record(os.fsencode(traces._partial), ranks)
    try:
        yield traces
    finally:
        lib.pysmpi_record(ffi.NULL, 0)
        traces.discard()
