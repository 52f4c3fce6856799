"""Memory of ranks that compute with large folded arrays."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, sys
import numpy
import pysmpi

kind = sys.argv[1]

def program():
    from mpi4py import MPI
    world = MPI.COMM_WORLD
    array = None
    if kind != "none":
        array = pysmpi.folded_empty(131072) if kind == "folded" else numpy.empty(131072)
    for _ in range(2):
        if array is not None:
            array[:] = array * 0.5 + 1.0
            array.sum()
        world.Barrier()
    if world.rank == world.size - 1:
        pysmpi.sleep(1)
    world.Barrier()
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE")

CFG = {"smpi/auto-shared-malloc-thresh": 100_000, "smpi/simulate-computation": "no"}
few, many = (pysmpi.simulate(program, np=ranks, platform=f"flat:{ranks}", cfg=CFG).values[-1]
             for ranks in (100, 2100))
print((many - few) / 2000)
"""


def bytes_a_rank(kind: str) -> float:
    run = subprocess.run([sys.executable, "-c", PROGRAM, kind], timeout=100, check=True, capture_output=True, text=True)
    return float(run.stdout)


@pytest.mark.memory
@pytest.mark.parametrize("kind", ["folded", "numpy"])
def test_an_array_of_a_megabyte_takes_little_more_than_its_description(kind: str) -> None:
    assert bytes_a_rank(kind) < bytes_a_rank("none") + 2_000
