"""Say here what the program does.

Simulated: pysmpirun -np 16 --platform PLATFORM NAME.py --size 100000
For real:  mpiexec -n 4 python NAME.py --size 100000
"""

import argparse

import numpy as np
from mpi4py import MPI

import pysmpi  # harmless in a real run


def main() -> None:
    """Exchange rows with both neighbours in a ring, and compute between the exchanges."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=100_000, help="numbers in a row (%(default)s)")
    parser.add_argument("--steps", type=int, default=10, help="how often (%(default)s)")
    options = parser.parse_args()
    world = MPI.COMM_WORLD
    left, right = (world.rank - 1) % world.size, (world.rank + 1) % world.size
    # Arrays whose contents do not matter: in a simulation they take no memory, and operations on them take simulated
    # time but compute nothing. Use numpy.zeros(options.size) if the contents matter.
    row, received = pysmpi.folded_empty(options.size), pysmpi.folded_empty(options.size)
    seconds = np.zeros(1)

    world.Barrier()
    begin = MPI.Wtime()
    for _ in range(options.steps):
        # Computation between MPI calls is timed on this machine and scaled to the simulated host. This call declares
        # an amount of computation instead, so that every run gives the same times. In a real run it does nothing.
        pysmpi.execute_flops(10 * options.size)
        world.Sendrecv(row, right, recvbuf=received, source=left)
        world.Sendrecv(row, left, recvbuf=received, source=right)
    world.Allreduce(np.array([MPI.Wtime() - begin]), seconds, MPI.MAX)

    # Figures for the table of a study (pysmpi study), and for the result of pysmpi.simulate.
    pysmpi.report(seconds=seconds[0])
    if world.rank == 0:
        print(f"{world.size} ranks: {seconds[0] / options.steps:.6g} s a step")


if __name__ == "__main__":
    main()
