"""Debugging: stops of the simulation at a given time or at a rank's failure, and pdb in the selected rank."""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from greenlet import greenlet

from pysmpi.errors import LaunchError
from pysmpi.native import ffi, lib
from pysmpi.util.traceback_text import program_frame, program_traceback

if TYPE_CHECKING:
    import pdb

__all__ = ["Debugger", "Debugging", "left_debugger"]

_OURS = ["pysmpi", "pysmpi.*", "mpi4py", "mpi4py.*"]  # modules that pdb does not step into


@dataclass(frozen=True)
class Debugging:
    """Debugging settings of a run.

    Attributes:
        rank: rank to debug, or None. Only its breakpoints have an effect, and pdb starts where it fails.
        break_at: simulated time in seconds, or None. The simulation stops once, before the first rank (or `rank`, if
            given) that continues at this time or later.
    """

    rank: int | None = None
    break_at: float | None = None

    def prepare(self, ranks: int) -> None:
        """Check that the rank to debug exists, and import pdb before the ranks begin.

        If pdb were imported later, each rank would import a copy of its own.

        Args:
            ranks: number of ranks.

        Raises:
            LaunchError: the rank to debug does not exist.
        """
        if self != Debugging():
            import pdb  # noqa: F401
        if self.rank is not None and self.rank >= ranks:
            raise LaunchError(f"--pdb {self.rank}: rank {self.rank} does not exist (valid: 0 to {ranks - 1})")


def left_debugger(error: BaseException) -> bool:
    """Return whether the exception `error` ended a rank because the user left its debugger with ``quit``."""
    bdb = sys.modules.get("bdb")
    return bdb is not None and isinstance(error, bdb.BdbQuit)


class Debugger:
    """Object that starts pdb in a rank: at a simulated time (``--break-at``), or when the rank to debug fails.

    Args:
        settings: debugging settings of the run.

    Attributes:
        entering: rank in which pdb will start at the first line of its program, or -1.
    """

    def __init__(self, settings: Debugging) -> None:
        self.entering = -1
        self._settings = settings
        self._awaited = settings.break_at

    def begin(self) -> None:
        """If the run has ``--break-at``, ask the engine to stop at that simulated time."""
        if self._settings.break_at is not None:
            rank = -1 if self._settings.rank is None else self._settings.rank
            lib.pysmpi_break_at(self._settings.break_at, rank)

    def enter(self, number: int, runner: greenlet | None) -> bool:
        """Let pdb start in a rank or thread that continues after the simulation has stopped for ``--break-at``.

        Args:
            number: number of the rank or thread.
            runner: its greenlet, or None if it has not started.

        Returns:
            False if no rank is selected and the standard input is not a terminal, so that nobody could use pdb.
        """
        if self._settings.rank is None and not (sys.stdin is not None and sys.stdin.isatty()):
            return False
        self._awaited = None
        frame = None if runner is None else program_frame(runner.gr_frame)
        if frame is None:
            self.entering = number
            return True
        debugger = self._new()
        before, dispatch = sys.gettrace(), debugger.trace_dispatch
        debugger.set_trace(frame)
        sys.settrace(before)
        lib.pysmpi_trace_in(number, ffi.cast("void *", id(dispatch)))
        return True

    def end(self) -> str:
        """Return a message if the simulation ended before the time of ``--break-at``, else an empty string."""
        return "" if self._awaited is None else f"--break-at: the run has ended before {self._awaited:.9g} s\n"

    def enter_program(self) -> None:
        """Start pdb at the first line of the selected rank's program."""
        self.entering = -1
        debugger = self._new()
        debugger.reset()
        debugger.set_step()
        sys.settrace(debugger.trace_dispatch)

    def after(self, rank: int, error: BaseException) -> None:
        """After a rank has failed, start pdb at the failed line if it is the rank to debug.

        All other ranks stay suspended meanwhile.

        Args:
            rank: rank that has failed.
            error: its exception.
        """
        if rank == self._settings.rank and not isinstance(error, KeyboardInterrupt) and not left_debugger(error):
            import pdb

            pdb.post_mortem(program_traceback(error) or error.__traceback__)

    def _new(self) -> "pdb.Pdb":
        import pdb

        return pdb.Pdb(skip=_OURS)
