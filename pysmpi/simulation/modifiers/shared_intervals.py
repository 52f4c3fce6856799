"""Measured intervals of computation that several runs of the same program share, so that only the machine differs."""

import os

from pysmpi.errors import SimulationError
from pysmpi.native import ffi, lib
from pysmpi.simulation.instruments.instrument import Instrument, Run
from pysmpi.simulation.instruments.outcome import IntervalUse, Result
from pysmpi.util.whole_file import NewFile

__all__ = ["SharedIntervals"]


class SharedIntervals(Instrument):
    """Modifier that takes measured intervals from a file, or writes the file if it does not exist.

    Args:
        path: the file, or None to measure, but keep the intervals only to see how far they differ.
        first: rank in the file that is rank 0 of this run.
    """

    def __init__(self, path: str | None, first: int) -> None:
        self._path = path
        self._first = first
        self._reuses = path is not None and os.path.exists(path)

    def begin(self, run: Run) -> None:
        if not self._reuses:
            lib.pysmpi_record_intervals()
        elif lib.pysmpi_reuse_intervals(os.fsencode(self._path or ""), self._first) != 0:
            raise SimulationError(
                f"{self._path!r} has no measured intervals of this version of pysmpi; delete the file to measure again"
            )

    def end(self, run: Run, result: Result) -> None:
        native = ffi.new("pysmpi_interval_use *")
        lib.pysmpi_read_interval_use(native)
        spread = native.spread if native.spread >= 0 else None
        counts = (native.reused, native.repeated, native.measured, native.left_over)
        result.parts["intervals"] = IntervalUse(*counts, native.longest, spread, bool(native.diverged))
        if not self._reuses and self._path is not None and not run.failed:
            self._write(self._path, result)

    def _write(self, path: str, result: Result) -> None:
        try:
            new = NewFile(path)
            try:
                error = lib.pysmpi_write_intervals(os.fsencode(new.partial))
                if error:
                    raise OSError(error, os.strerror(error))
                new.keep()
            finally:
                new.discard()
        except OSError as error:
            result.without_effect.append(
                f"the file of measured intervals {path!r} cannot be written: {error.strerror}; other runs measure again"
            )
