"""Measurement of churn: repeated work, and the memory of the process meanwhile.

Clocks are simulated inside ranks, so real time is taken from the processor time of the process.
"""

import ctypes
import json
import os
import sys
from collections.abc import Callable

from mpi4py import MPI

_clock = ctypes.CDLL(None).clock  # processor time of the process in us, which is real in ranks, too
_clock.restype = ctypes.c_long


def churn(rounds: int, a_round: Callable[[int], int]) -> None:
    """Run rounds in all ranks; rank 0 prints the outcome of all ranks as a line of JSON.

    Args:
        rounds: number of rounds; the program's first argument takes precedence.
        a_round: function that runs one round, given its number, and returns the number of objects or messages.
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
    """Return the processor time of the process, by the C library: Python's clocks are simulated inside ranks."""
    return int(_clock()) / 1e6  # CLOCKS_PER_SEC of POSIX


def _resident() -> int:
    """Return the bytes of resident memory of the process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
