"""Parts of a factorisation by Linpack's model: windows.py PARAMETERS.json, under pysmpirun.

A long factorisation costs almost the same for each panel, so a few windows of panels show the time of all. The program
prints the simulated seconds of each part that the file asks for, one line a part: of all its panels, or of those
between two of them, as the mean over the processes.
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "apps" / "hpl"))

import numpy as np
from collectives import barrier
from grid import Grid
from model import Model
from model_panel import Panels
from mpi4py import MPI
from rates import Rates
from variant import Variant

import pysmpi


def main() -> None:
    """Factor each part, all ranks together."""
    world = MPI.COMM_WORLD
    asked = json.loads(Path(sys.argv[1]).read_text())
    variant = Variant(**asked["variant"])
    rates = Rates(blas=True)
    with pysmpi.untimed():
        grid = Grid(world, variant.p, variant.q, variant.column_major)
        for first, count, between in asked["parts"]:
            model = Model(grid, variant, rates.here(), asked["pivots"], True, Panels(grid, variant, first, count))
            barrier(world)
            times = [MPI.Wtime(), *model.solve(between)]
            if not between:
                barrier(world)
                times.append(MPI.Wtime())
            passed = np.array([times[-1] - times[-2]])
            total = np.zeros(1)
            world.Reduce(passed, total)
            if world.rank == 0:
                print(total[0] / world.size, flush=True)


main()
