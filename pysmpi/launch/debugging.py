"""Stopping a simulation to look at it, at a simulated time or where a rank fails, and pdb in the rank that is meant."""

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

_OURS = ["pysmpi", "pysmpi.*", "mpi4py", "mpi4py.*"]  # modules that are not stepped into


@dataclass(frozen=True)
class Debugging:
    """What is to be looked at.

    Attributes:
        rank: the one to be debugged: its breakpoints count and no others, and pdb begins where it fails; None: none.
        break_at: simulated seconds; before a rank (that one, if there is one) goes on then or later, all stops once.
    """

    rank: int | None = None
    break_at: float | None = None

    def prepare(self, ranks: int) -> None:
        """Looks whether there is the rank, and loads pdb before ranks are isolated, who would load it for themselves.

        Raises:
            LaunchError: there is none.
        """
        if self != Debugging():
            import pdb  # noqa: F401
        if self.rank is not None and self.rank >= ranks:
            raise LaunchError(f"--pdb {self.rank}: there is no such rank (valid: 0 to {ranks - 1})")


def left_debugger(error: BaseException) -> bool:
    """What has ended a rank is that somebody has left the debugger in it (``quit``)."""
    bdb = sys.modules.get("bdb")
    return bdb is not None and isinstance(error, bdb.BdbQuit)


class Debugger:
    """Has pdb begin in ranks.

    Attributes:
        entering: the rank that pdb is to begin in with the first line of its program; -1: none.
    """

    def __init__(self, settings: Debugging) -> None:
        self.entering = -1
        self._settings = settings
        self._awaited = settings.break_at

    def begin(self) -> None:
        """The simulation has begun."""
        if self._settings.break_at is not None:
            rank = -1 if self._settings.rank is None else self._settings.rank
            lib.pysmpi_break_at(self._settings.break_at, rank)

    def enter(self, number: int, runner: greenlet | None) -> bool:
        """All has stopped: pdb is to begin in the rank, or the thread of one, as it goes on; False: nobody is there.

        Args:
            number: of the rank or thread.
            runner: its greenlet; None before its beginning.
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
        """The simulation has come to its end: what there is to say about a time that has not come; or nothing."""
        return "" if self._awaited is None else f"--break-at: the run has ended before {self._awaited:.9g} s\n"

    def enter_program(self) -> None:
        """The rank that pdb is to begin in with the first line of its program is about to begin that."""
        self.entering = -1
        debugger = self._new()
        debugger.reset()
        debugger.set_step()
        sys.settrace(debugger.trace_dispatch)

    def after(self, rank: int, error: BaseException) -> None:
        """The rank has failed: if it is the one, pdb shows where, while all others stand still."""
        if rank == self._settings.rank and not isinstance(error, KeyboardInterrupt) and not left_debugger(error):
            import pdb

            pdb.post_mortem(program_traceback(error) or error.__traceback__)

    def _new(self) -> "pdb.Pdb":
        import pdb

        return pdb.Pdb(skip=_OURS)
