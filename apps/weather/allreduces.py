"""The program of allreduce.py: one allreduce, and its command line."""

import argparse

import numpy as np
from command_line import shared_options
from mpi4py import MPI
from report import present, slowest_on_root


def main() -> int:
    """Time an allreduce of some numbers of 8 bytes."""
    world = MPI.COMM_WORLD
    options = shared_options(world, parse)
    count = options.numbers
    mine, total = np.ones(count), np.empty(count)
    world.Barrier()
    begin = MPI.Wtime()
    world.Allreduce(mine, total, MPI.SUM)
    # An allreduce for the report would be made by the algorithm under study, and cost as much to simulate.
    seconds = slowest_on_root(world, MPI.Wtime() - begin)
    if world.Get_rank() == 0:
        title = f"allreduce of {count * 8} bytes on {world.Get_size():,} ranks"
        present(title, [("allreduce", seconds)], bool(np.all(total == world.Get_size())), options.json)
    return 0


def parse(_ranks: int) -> argparse.Namespace:
    """Return the command line."""
    parser = argparse.ArgumentParser(description="Times one allreduce.")
    parser.add_argument("--numbers", type=int, default=3, help="numbers of 8 bytes (3)")
    parser.add_argument("--json", action="store_true", help="print a JSON object")
    return parser.parse_args()
