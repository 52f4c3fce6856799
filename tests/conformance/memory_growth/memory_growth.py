"""Make each kind of MPI call many times in a simulation, and print how many bytes a call leaves behind.

    python tests/conformance/memory_growth/memory_growth.py [--rounds 1000] [--ranks 2] [--kinds REGEX] [--limit BYTES]

A round makes each call of a kind once in every rank. Memory in use is what malloc has handed out; Python's objects are
included, because the tool runs with PYTHONMALLOC=malloc. A quarter of the rounds warms up. The growth is the smallest
of the other quarters, because now and then a container grows once. From 100,000 rounds on, it is their mean, which also
shows a container that keeps growing. The exit status is 1 if a kind leaves more than the limit behind in a round of a
rank. Spawned ranks do: a simulation keeps the record of each rank, about 1.5 kB, until it ends. Its tables grow
now and then, so the growth of this kind is the median of the growth over four rounds, most of which add records only.
"""

import argparse
import ctypes
import gc
import itertools
import json
import os
import re
import sys
import time
from statistics import fmean, median
from typing import Any

from kinds import KINDS, SLOW

import pysmpi

QUARTERS = 4
MANY = 100_000  # rounds from which the mean of the quarters counts
SLOW_SHARE = 50  # slow kinds make this many times fewer rounds
SLOW_PART = 4  # rounds of a slow kind between two measurements


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
                                                     "fsmblks", "uordblks", "fordblks", "keepcost")]  # fmt: skip


def _used() -> int:
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _Mallinfo
    found = libc.mallinfo2()
    return int(found.uordblks + found.hblkhd)


def _program(MPI: Any, name: str, parts: int, rounds: int) -> list[int]:
    once = KINDS[name](MPI, MPI.COMM_WORLD)
    used = []
    for _ in range(parts):
        for _ in range(rounds):
            once()
        MPI.COMM_WORLD.Barrier()
        gc.collect()
        used.append(_used())
        MPI.COMM_WORLD.Barrier()
    return used


def growth(name: str, rounds: int, ranks: int) -> float:
    """Return the bytes that each round of a rank leaves behind."""
    from mpi4py import MPI

    part = SLOW_PART if name in SLOW else max(1, rounds // QUARTERS)
    parts = max(QUARTERS, rounds // part)
    run = pysmpi.simulate(_program, np=ranks, platform=f"flat:{ranks}", args=(MPI, name, parts, part),
                          cfg={"smpi/simulate-computation": "no"})  # fmt: skip
    used = run.values[0][parts // QUARTERS - 1 :]
    grown = [after - before for before, after in itertools.pairwise(used)]
    typical = median if name in SLOW else fmean if rounds >= MANY else min
    return typical(grown) / part / ranks


def main() -> int:
    """Measure the kinds and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1000, help="rounds of each kind (1000)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--kinds", default="", metavar="REGEX")
    parser.add_argument("--limit", type=float, default=1.0, metavar="BYTES", help="allowed growth (1)")
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of a table")
    options = parser.parse_args()
    if os.environ.get("PYTHONMALLOC") != "malloc":
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | {"PYTHONMALLOC": "malloc"})
    pysmpi.use()
    found = {}
    for name in (name for name in KINDS if re.search(options.kinds, name)):
        rounds = max(1, options.rounds // SLOW_SHARE) if name in SLOW else options.rounds
        began = time.monotonic()
        found[name] = growth(name, rounds, options.ranks)
        if not options.json:
            print(f"{name:24} {rounds:9} rounds {found[name]:10.2f} bytes/round {time.monotonic() - began:8.1f} s",
                  flush=True)  # fmt: skip
    if options.json:
        print(json.dumps(found))
    return 1 if any(each > options.limit for each in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
