"""What a pattern says of itself: the time that it has taken, simulated and here, and the memory of the process."""

import json
import pathlib
import re
import resource

from mpi4py import MPI

__all__ = ["Stretch"]

KIBIBYTE = 1024


class Stretch:
    """From its making, at which all ranks meet, to its end."""

    def __init__(self, world: MPI.Intracomm) -> None:
        self._world = world
        world.Barrier()
        self._begun = MPI.Wtime(), _seconds()

    def end(self) -> None:
        """All ranks meet again, and one of them tells."""
        self._world.Barrier()
        if self._world.rank == 0:
            tell(simulated=MPI.Wtime() - self._begun[0], seconds=_seconds() - self._begun[1])


def tell(**outcome: float) -> None:
    """Print what one rank knows for all, with the bytes that the process has had resident at most since it began."""
    resident = re.search(r"^VmHWM:\s*(\d+) kB$", pathlib.Path("/proc/self/status").read_text(), re.M)
    print(json.dumps({**outcome, "peak": int(resident[1]) * KIBIBYTE if resident else 0}), flush=True)


def _seconds() -> float:
    """Processor time of the process, which is that of all ranks. Clocks are simulated inside ranks."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
