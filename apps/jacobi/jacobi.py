"""Jacobi's iteration for Laplace's equation on a square, in NumPy and mpi4py: python jacobi.py SIDE SWEEPS.

Each rank has a block of the grid of SIDE × SIDE points, with a rim of its neighbours' points around it. The boundary
values are u(x, y) = x, which is also the solution. Arrays come from pysmpi.folded_empty, which is numpy.empty in a real
run; therefore a simulation can have any size.
"""

import sys

import numpy as np
from mpi4py import MPI

import pysmpi


def share(points: int, parts: int, part: int) -> tuple[int, int]:
    """Return the first point of a part, and the first point after it, for points divided as evenly as possible."""
    return points * part // parts, points * (part + 1) // parts


def exchange(grid: MPI.Cartcomm, u: np.ndarray, rims: list[np.ndarray]) -> None:
    """Exchange the rims of blocks with the neighbours; `rims` are buffers for two columns in each direction."""
    up, down = grid.Shift(0, 1)
    left, right = grid.Shift(1, 1)
    out_left, out_right, in_left, in_right = rims
    out_left[...] = u[1:-1, 1]
    out_right[...] = u[1:-1, -2]
    requests = [
        grid.Irecv(u[0, 1:-1], up),
        grid.Irecv(u[-1, 1:-1], down),
        grid.Irecv(in_left, left),
        grid.Irecv(in_right, right),
        grid.Isend(u[1, 1:-1], up),
        grid.Isend(u[-2, 1:-1], down),
        grid.Isend(out_left, left),
        grid.Isend(out_right, right),
    ]
    MPI.Request.Waitall(requests)
    if left != MPI.PROC_NULL:
        u[1:-1, 0] = in_left
    if right != MPI.PROC_NULL:
        u[1:-1, -1] = in_right


def sweep(old: np.ndarray, new: np.ndarray) -> None:
    """Replace each inner point by the mean of its neighbours."""
    new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])


def main(side: int, sweeps: int) -> None:
    """Solve the equation, and print the results."""
    world = MPI.COMM_WORLD
    grid = world.Create_cart(MPI.Compute_dims(world.size, 2))
    first_row, last_row = share(side, grid.dims[0], grid.coords[0])
    first, last = share(side, grid.dims[1], grid.coords[1])
    rows, columns = last_row - first_row, last - first
    old, new = (pysmpi.folded_empty((rows + 2, columns + 2)) for _ in range(2))
    rims = [pysmpi.folded_empty(rows) for _ in range(4)]
    x = pysmpi.folded_empty(columns + 2)
    x[...] = np.arange(first, last + 2) / (side + 1)
    for u in (old, new):
        u[...] = x
        u[1:-1, 1:-1] = 0.0
    if grid.coords[1] > 0:
        old[:, 0] = 0.0
    if grid.coords[1] < grid.dims[1] - 1:
        old[:, -1] = 0.0
    world.Barrier()
    start = MPI.Wtime()
    for _ in range(sweeps):
        exchange(grid, old, rims)
        sweep(old, new)
        old, new = new, old
    largest = np.zeros(2)
    largest[0] = np.abs(old[1:-1, 1:-1] - new[1:-1, 1:-1]).max()
    largest[1] = np.abs(old[1:-1, 1:-1] - x[1:-1]).max()
    world.Allreduce(MPI.IN_PLACE, largest, MPI.MAX)
    if world.rank == 0:
        print(f"{sweeps} sweeps of {side} x {side} points on {world.size} ranks: {MPI.Wtime() - start:.6g} s")
        if not pysmpi.is_folded(old):
            print(f"last change {largest[0]:.3e}, error {largest[1]:.3e}")
    grid.Free()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
