"""Recording of time-independent traces: a file for each rank and a list of these files."""

import os
import pathlib

from pysmpi.errors import PysmpiError
from pysmpi.native import ffi, lib
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.util.new_directory import NewDirectory

__all__ = ["INDEX", "RecordingError", "TiTrace"]

INDEX = "index.txt"


class RecordingError(PysmpiError):
    """Error in recording time-independent traces: they cannot express an action of the program, or a file cannot be
    written."""

    slug = "recording"


class TiTrace(Instrument):
    """Instrument that records the ranks' actions as time-independent traces, which are kept only if the run succeeds.

    Args:
        directory: directory for the traces; it must be empty or not exist.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self._directory = pathlib.Path(directory)

    def begin(self, run: Run) -> None:
        """Start recording.

        Raises:
            LaunchError: the directory is not empty, or cannot be created.
        """
        self._ranks = len(run.program_of)
        self._files = NewDirectory(self._directory, "--trace-ti")
        lib.pysmpi_record(os.fsencode(self._files.partial), self._ranks)

    def end(self, run: Run, result: Result) -> None:
        if run.failed:
            return
        written = lib.pysmpi_end_recording() == 0
        inexpressible = ffi.string(lib.pysmpi_inexpressible()).decode()
        if inexpressible:
            self.failure = RecordingError(
                f"no trace is left in {self._directory}: time-independent traces cannot express {inexpressible}"
            )
            return
        try:
            if not written:
                raise OSError(0, "the file of a rank could not be written completely")
            names = (f"{self._directory.absolute()}/rank-{rank}.txt\n" for rank in range(self._ranks))
            (self._files.partial / INDEX).write_text("".join(names))
            self._files.keep()
        except OSError as error:
            self.failure = RecordingError(f"no trace is left in {self._directory}: {error.strerror}")

    def close(self) -> None:
        lib.pysmpi_record(ffi.NULL, 0)
        self._files.discard()
