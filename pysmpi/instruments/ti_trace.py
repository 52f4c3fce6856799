"""Records a run as time-independent traces: a file for each rank and a list of them, which appear when all is well."""

import os
import pathlib
from collections.abc import Iterator
from contextlib import contextmanager

from pysmpi.errors import PysmpiError
from pysmpi.native import ffi, lib
from pysmpi.util.new_directory import NewDirectory

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
        self.files = NewDirectory(directory, "--trace-ti")
        self._directory = directory
        self._ranks = ranks

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
            (self.files.partial / INDEX).write_text("".join(names))
            self.files.keep()
        except OSError as error:
            self.failure = RecordingError(f"no trace is left in {self._directory}: {error.strerror}")


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
    lib.pysmpi_record(os.fsencode(traces.files.partial), ranks)
    try:
        yield traces
    finally:
        lib.pysmpi_record(ffi.NULL, 0)
        traces.files.discard()
