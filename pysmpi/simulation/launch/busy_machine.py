"""Remark on a run whose computation was measured while this machine was busy or throttled."""

import os

from pysmpi.simulation.instruments.outcome import TimeSpent
from pysmpi.util.quantities import counted

__all__ = ["busy_machine", "load"]

_LEAST = 1e-3  # wall seconds of measured intervals below which no remark is made
_IDLE = 0.9  # share of the processor in the wall time of measured intervals on a machine that is not busy


def busy_machine(spent: TimeSpent, load: float | None, processors: int) -> str:
    """Return a remark for the user if other programs disturbed the measured computation, or an empty string.

    It is made if the processor time of the measured intervals is less than 90 % of their wall time. Under
    ``smpi/computation-clock:wall`` the processor time is not measured, so the string is empty.

    Args:
        spent: time of the ranks, with the measured intervals' seconds on both clocks.
        load: average number of running programs in the last minute, or None if unknown.
        processors: number of this machine's processors.
    """
    if spent.wall_seconds < _LEAST or spent.clock_seconds >= _IDLE * spent.wall_seconds:
        return ""
    loaded = "" if load is None else f", load {load:.1f} on {counted(processors, 'processor')}"
    return (
        f"processor time is {spent.clock_seconds / spent.wall_seconds:.0%} of the wall time of the measured "
        f"computation ({spent.interrupted:,} of {counted(spent.intervals, 'interval')} interrupted{loaded})"
    )


def load() -> tuple[float | None, int]:
    """Return this machine's load average of the last minute (None if unknown), and its number of usable processors."""
    try:
        average = os.getloadavg()[0]
    except OSError:
        average = None
    return average, len(os.sched_getaffinity(0))
