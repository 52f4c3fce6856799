"""Small programs on folded arrays: python kernels.py NAME SIZE REPETITIONS. Ranks do not communicate."""

import sys
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

import pysmpi


def filled(shape: int | tuple[int, ...], value: float) -> np.ndarray:
    """Return an array whose pages have been allocated."""
    array = pysmpi.folded_empty(shape)
    array[...] = value
    return array


def stencil(side: int) -> Callable[[], None]:
    """Return a step of heat conduction in three dimensions, with temporaries."""
    grids = [filled((side + 2,) * 3, value) for value in (0.0, 1.0)]

    def step() -> None:
        old, new = grids
        inner = old[1:-1, 1:-1, 1:-1]
        around = old[2:, 1:-1, 1:-1] + old[:-2, 1:-1, 1:-1] + old[1:-1, 2:, 1:-1] + old[1:-1, :-2, 1:-1]
        around = around + old[1:-1, 1:-1, 2:] + old[1:-1, 1:-1, :-2]
        new[1:-1, 1:-1, 1:-1] = inner + 0.1 * (around - 6.0 * inner)
        grids.reverse()

    return step


def vectors(size: int) -> Callable[[], None]:
    """Return the vector operations of an iteration of conjugate gradients."""
    x, r, p, q = (filled(size, 1.0) for _ in range(4))

    def step() -> None:
        forward = 1e-3 + 0.0 * float(np.dot(p, q))
        x[...] += forward * p
        r[...] -= forward * q
        back = 0.5 + 0.0 * float(np.dot(r, r))
        p[...] = r + back * p

    return step


def leapfrog(side: int) -> Callable[[], None]:
    """Return a step of two coupled fields, without temporaries."""
    u, v, change = (filled((side, side), 0.5) for _ in range(3))

    def step() -> None:
        np.multiply(u, 0.1, out=change)
        np.subtract(v, change, out=v)
        np.multiply(v, 0.1, out=change)
        np.add(u, change, out=u)

    return step


def scaling(side: int) -> Callable[[], None]:
    """Return a step that scales an array to mean 0 and range 1: reductions, and temporaries."""
    array = filled((side, side), 0.5)

    def step() -> None:
        scaled = (array - array.mean()) / (array.max() - array.min() + 1.0)
        scaled.sum()

    return step


def main(name: str, size: int, repetitions: int) -> None:
    """Repeat a program, and print the time of one repetition."""
    step = {each.__name__: each for each in (stencil, vectors, leapfrog, scaling)}[name](size)
    world = MPI.COMM_WORLD
    step()
    world.Barrier()
    start = MPI.Wtime()
    for _ in range(repetitions):
        step()
        world.Barrier()
    if world.rank == 0:
        print(f"{name} of {size} on {world.size} ranks: {(MPI.Wtime() - start) / repetitions:.6g} s")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
