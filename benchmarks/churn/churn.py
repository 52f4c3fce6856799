"""How benchmarks of churn measure: the same work again and again, and the memory of the process meanwhile.

Inside ranks clocks are simulated, so real time is taken from what the process has used of its core.
"""

import json
import os
import resource
import sys
from collections.abc import Callable

from mpi4py import MPI


def churn(rounds: int, a_round: Callable[[int], int]) -> None:
    """Run rounds in all ranks; rank 0 prints the outcome as a line of JSON, with what all ranks have done together.

    Args:
        rounds: how many; the program's first argument has precedence.
        a_round: one round, by its number; returns how many things it has made, or messages it has sent.
    """
    world = MPI.COMM_WORLD
    if len(sys.argv) > 1:
        rounds = int(sys.argv[1])
    tenth = max(rounds // 10, 1)
    done, early = 0, 0
    begun = _seconds()
    for i in range(rounds):
        done += a_round(i)
        if i == tenth:
            world.Barrier()
            early = _resident()
    world.Barrier()
    outcome = {"seconds": _seconds() - begun, "early": early, "end": _resident()}
    total = world.allreduce(done)
    if world.rank == 0:
        print(json.dumps({"count": total, **outcome}))


def _seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _resident() -> int:
    """Bytes of memory that the process has resident."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
