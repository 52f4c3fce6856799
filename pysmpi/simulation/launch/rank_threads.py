"""Threads of ranks: with OpenMP, a rank's computation keeps several cores of its host busy.

As for a real run, ``OMP_NUM_THREADS`` says how many, at most all; pysmpirun sets it to 1 if it is not set. A rank that
pins itself to cores with ``os.sched_setaffinity`` uses no more than these. SMPI knows no threads of ranks: under
``--smpi``, each rank uses one core.
"""

import os
from collections import Counter

from pysmpi.errors import ConfigurationError
from pysmpi.simulation.instruments.instrument import Run
from pysmpi.simulation.instruments.notes import Importance, Note
from pysmpi.simulation.instruments.outcome import Result
from pysmpi.simulation.settings.configuration import Configuration
from pysmpi.simulation.settings.options import MPI
from pysmpi.util.quantities import counted

__all__ = ["threads_note", "threads_of_ranks"]

_VARIABLE = "OMP_NUM_THREADS"


def threads_of_ranks(configuration: Configuration) -> int:
    """Return the number of threads with which each rank computes.

    Raises:
        ConfigurationError: the environment variable is not a number of threads.
    """
    text = os.environ.get(_VARIABLE, "")
    if not text.strip() or configuration[MPI] == "smpi":
        return 1
    outermost = text.split(",")[0].strip()  # further numbers are those of nested parallel regions
    if not outermost.isdecimal() or int(outermost) < 1:
        raise ConfigurationError(f"{_VARIABLE}={text!r} is not valid; give a number of threads, 1 or more")
    return int(outermost)


def threads_note(run: Run, result: Result) -> list[Note]:
    """Return a list with one note on the cores that ranks with several threads use, or an empty list."""
    threads = threads_of_ranks(run.configuration)
    if threads == 1:
        return []
    ranks = Counter(outcome.host for outcome in result.ranks)
    cores = {host.name: host.cores for host in run.platform.hosts if host.name in ranks}
    most = max(cores.values(), default=1)
    if most == 1:
        return []
    if most < threads:
        text = f"each rank computes on all cores of its host, at most {most} ({_VARIABLE} is {threads})"
    else:
        text = f"each rank computes on {threads} cores of its host ({_VARIABLE})"
    crowded = [host for host, count in ranks.items() if count * min(threads, cores[host]) > cores[host]]
    if not crowded:
        return [Note(Importance.REMARK, counted(threads, "thread") + " a rank", text)]
    host = crowded[0]
    text += (
        f"; on {counted(len(crowded), 'host')} they share cores, so that they compute more slowly: {host} has "
        f"{counted(cores[host], 'core')} for {counted(ranks[host], 'rank')}"
    )
    return [Note(Importance.LIMIT, "threads of ranks share cores", text)]
