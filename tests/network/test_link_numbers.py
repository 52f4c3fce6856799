"""Simulations on large machines take memory only for the links that messages use."""

import os
import subprocess
import sys

PROGRAM = """
import random
import pysmpi
from pysmpi.platform import FatTree, Torus

def program():
    from mpi4py import MPI
    MPI.COMM_WORLD.allreduce(1)

def peak(platform):
    return pysmpi.simulate(program, np=64, platform=platform, cfg={"smpi/simulate-computation": "no"}).peak_memory

small = peak(Torus([8, 8]))
machine = FatTree([32] * 4, [1, 32, 32, 32]).build()
hosts = random.Random(0).sample(range(2**20), 2000)
for source, destination in zip(hosts[::2], hosts[1::2]):
    assert len(machine.route(machine.hosts[source], machine.hosts[destination]).links) in (2, 4, 6, 8)
print(len(machine.links), peak(machine) - small, peak(Torus([64, 128, 128], routing="ugal")) - small)
"""


def test_a_million_hosts() -> None:
    """A fat tree of 1,048,576 hosts and 9 million links with 1,000 routes and a simulation of 64 ranks, and a torus of
    the same size whose routing depends on loads. The remaining memory is the table of hosts.
    """
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    links, *grown = map(int, result.stdout.split())
    assert links == 9 * 2**20  # eight cable links a host, and its loopback
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # AddressSanitizer keeps what is freed
        assert max(grown) < 160 * 2**20
