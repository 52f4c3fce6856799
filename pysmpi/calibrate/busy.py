"""Check whether this machine is busy: other programs would make measured times wrong."""

import os

import psutil

from pysmpi.calibrate.limits import MOST_LOAD
from pysmpi.native import lib

__all__ = ["busy_text"]

_SAMPLE = 0.3  # seconds for which other processes are observed
_LISTED = 3
_NOTICED = 10.0  # percent of a core


def busy_text() -> str:
    """Return a text on the load of this machine and the processes that cause it, or "" if the load is low.

    In a simulation the text is empty, because no load of this machine changes simulated times.
    """
    if lib.pysmpi_running_rank() >= 0:
        return ""
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0]
    if load <= MOST_LOAD * cores:
        return ""
    running = ", ".join(f"{name} ({share:.0f} %)" for name, share in _running()) or "nothing at this moment"
    return (
        f"the machine is busy: load average {load:.2f} on {cores} core{'' if cores == 1 else 's'}, "
        f"{load / cores:.2f} a core (at most {MOST_LOAD:g}); running: {running}"
    )


def _running() -> list[tuple[str, float]]:
    """Return the names of the other processes that compute most, and the percentage of a core that each uses."""
    own = {os.getpid(), os.getppid()}
    processes = [each for each in psutil.process_iter(["name"]) if each.pid not in own]
    for each in processes:
        _percent(each)
    psutil.cpu_percent(_SAMPLE)
    found = sorted(((each.info["name"] or "?", _percent(each)) for each in processes), key=lambda pair: -pair[1])
    return [pair for pair in found[:_LISTED] if pair[1] >= _NOTICED]


def _percent(process: psutil.Process) -> float:
    try:
        return float(process.cpu_percent())
    except psutil.Error:  # the process has ended
        return 0.0
