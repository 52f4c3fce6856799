"""Figures that a pattern reports: simulated time, processor time, and memory of the process."""

import ctypes
import json
import pathlib
import re

from mpi4py import MPI

__all__ = ["Stretch"]

KIBIBYTE = 1024

_clock = ctypes.CDLL(None).clock  # processor time of the process in us, which is real in ranks, too
_clock.restype = ctypes.c_long


class Stretch:
    """Interval of a program, from the barrier at its creation to the barrier at its end."""

    def __init__(self, world: MPI.Intracomm) -> None:
        self._world = world
        world.Barrier()
        self._begun = MPI.Wtime(), _seconds()

    def end(self) -> None:
        """Meet at a barrier; one rank reports the interval."""
        self._world.Barrier()
        if self._world.rank == 0:
            tell(simulated=MPI.Wtime() - self._begun[0], seconds=_seconds() - self._begun[1])


def tell(**outcome: float) -> None:
    """Print one rank's figures as JSON, with the peak resident memory of the process in bytes."""
    resident = re.search(r"^VmHWM:\s*(\d+) kB$", pathlib.Path("/proc/self/status").read_text(), re.M)
    print(json.dumps({**outcome, "peak": int(resident[1]) * KIBIBYTE if resident else 0}), flush=True)


def _seconds() -> float:
    """Return the processor time of the process, by the C library: Python's clocks are simulated inside ranks."""
    return int(_clock()) / 1e6  # CLOCKS_PER_SEC of POSIX
