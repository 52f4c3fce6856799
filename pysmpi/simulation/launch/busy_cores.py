"""Copies of a run that keep other cores of this machine busy while the run measures its computation.

The ranks of a run compute one after the other, so each has the memory bandwidth of this machine to itself while it
computes. On a real host, all ranks compute at the same time. A copy is a process that simulates the same job over and
over, without output, until the run has ended. So memory is about as busy as if another rank computed on the next
core.
"""

import contextlib
import ctypes
import dataclasses
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator

from pysmpi.errors import LaunchError
from pysmpi.simulation.launch.instrument_kinds import options_of_copy
from pysmpi.simulation.launch.job import Job
from pysmpi.simulation.settings.options import BUSY_CORES
from pysmpi.util.processes import forked, run_apart

__all__ = ["keep_cores_busy"]

_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux' prctl


@contextlib.contextmanager
def keep_cores_busy(job: Job, run: Callable[[Job], object]) -> Iterator[None]:
    """Keep other cores of this machine busy with copies of a job, as the setting smpi/busy-cores asks.

    Args:
        job: the job that is measured.
        run: function that simulates a job.

    Raises:
        LaunchError: the setting asks for more cores than this process may use.
    """
    count = _count(job)
    copy = dataclasses.replace(job, options=options_of_copy(job.options), shares_intervals=False)
    started: list[int] = []
    try:
        for _ in range(count):
            started.append(_start(lambda: run(copy)))
        yield
    finally:
        for process in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):  # the program has waited for any process
                os.waitpid(process, 0)


def _count(job: Job) -> int:
    """Return the number of copies to be started: the number of busy cores that the setting asks for, minus one.

    With the value 0, the setting asks for as many as the most ranks on one host, if this machine has so many.
    """
    wanted, cores = int(job.configuration[BUSY_CORES]), len(os.sched_getaffinity(0))
    if wanted == 0:
        wanted = min(cores, max(Counter(job.placed).values()))
    if wanted > cores:
        raise LaunchError(
            f"{BUSY_CORES}:{wanted} is not valid here: this process may use {cores} of this machine's cores"
        )
    return wanted - 1


def _start(simulate: Callable[[], object]) -> int:
    """Start a process that calls `simulate` repeatedly, each time in a new process; return its process id."""
    parent, process = os.getpid(), forked()
    if process != 0:
        with contextlib.suppress(ProcessLookupError):
            os.setpgid(process, process)  # both processes set it, since either may come first
        return process
    try:
        os.setpgid(0, 0)
        _die_with(parent)
        leader = os.getpid()

        def once() -> None:
            _die_with(leader)
            simulate()

        while True:
            run_apart([once], lost=lambda place, how: None, quiet=True)
    finally:
        os._exit(1)


def _die_with(parent: int) -> None:
    """Let the kernel kill this process when its parent ends, for whatever reason."""
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:  # the parent has ended already
        os._exit(1)
