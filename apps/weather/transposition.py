"""Communication of a spectral atmospheric model: three transpositions of a grid between distributions.

transposition.py --cx N --cy N [--grid NX NY NZ] [--check] [--json], on cx × cy ranks. After Zheng and Marguinaud,
"Simulation of the performance and scalability of message passing interface (MPI) communications of atmospheric models
running on exascale supercomputers", Geoscientific Model Development 11, 3409-3426, 2018.

A model computes its physics in columns, a Fourier transform along x and a Legendre transform along y. Rank j · cx + i
has these parts of the grid:

| distribution | x | y | z |
|---|---|---|---|
| grid points | part i of cx | part j of cy | whole |
| Fourier | whole | part j of cy | part i of cx |
| Legendre | part j of cy | whole | part i of cx |
| spectral | part j of cy | part i of cx | whole |

The first and the third transposition are an Alltoallv among the cx ranks with the same j, the second among the cy ranks
with the same i.
"""

import argparse
import contextlib
import sys

import numpy as np
from command_line import Parser, shared_options
from moves import MOVES, Box, Move, box
from mpi4py import MPI
from report import all_right, present, slowest

import pysmpi


def main() -> int:
    """Run the transpositions; the exit status is 1 if `--check` finds wrong data, 2 if the split is not valid."""
    world = MPI.COMM_WORLD
    options = shared_options(world, parse)
    # Only communication is studied; the time of Python code in between must not be added.
    with contextlib.nullcontext() if options.check else pysmpi.untimed():
        parts, right = run(world, options)
    if world.Get_rank() == 0:
        size = " × ".join(f"{points:,}" for points in options.grid)
        present(f"{size} points on {options.cx} × {options.cy} ranks", parts, right, options.json)
    return 1 if right is False else 0


def parse(ranks: int) -> argparse.Namespace:
    """Return the command line.

    Raises:
        SystemExit: if it is not valid, or asks for help.
    """
    parser = Parser("Times the three transpositions of a spectral model.")
    parser.add_argument("--check", action="store_true", help="use real data, and compare it with the whole grid")
    options = parser.parse_args()
    parser.check_split(options, ranks, "xyz")
    return options


def run(world: MPI.Comm, options: argparse.Namespace) -> tuple[list[tuple[str, float]], bool | None]:
    """Return the seconds of each transposition on the slowest rank, and whether the data is right if it is checked."""
    grid: tuple[int, int, int] = tuple(options.grid)
    j, i = divmod(world.Get_rank(), options.cx)
    row, column = world.Split(j, i), world.Split(i, j)
    field = values(box("grid points", grid, (options.cx, i), (options.cy, j)), grid) if options.check else None
    parts, right = [], True if options.check else None
    for name, divided, gathered, along_x, after in MOVES:
        comm = row if along_x else column
        move = Move.of(grid, divided, gathered, (options.cx, i), (options.cy, j), along_x)
        seconds, field = transpose(world, comm, move, field)
        parts.append((name, seconds))
        if field is not None:
            expected = values(box(after, grid, (options.cx, i), (options.cy, j)), grid)
            right = all_right(world, np.array_equal(field, expected)) and right is True
    row.Free()
    column.Free()
    return parts, right


def transpose(world: MPI.Comm, comm: MPI.Comm, move: Move, field: np.ndarray | None) -> tuple[float, np.ndarray | None]:
    """Perform one transposition among the ranks of `comm`; return its seconds on the slowest rank, and the new field.

    Without a field, all arrays are folded: in a simulation they use no memory, and their contents do not matter.
    """
    counts = move.send_counts, move.receive_counts
    if field is None:
        sent, received = (pysmpi.folded_empty(int(numbers.sum())) for numbers in counts)
    else:
        sent, received = move.pack(field), np.empty(move.received_shape)
    world.Barrier()
    begin = MPI.Wtime()
    comm.Alltoallv([sent, counts[0], MPI.DOUBLE], [received, counts[1], MPI.DOUBLE])
    seconds = slowest(world, MPI.Wtime() - begin)
    return seconds, None if field is None else move.unpack(received)


def values(part: Box, grid: tuple[int, int, int]) -> np.ndarray:
    """Return a rank's part of a field in which all points differ: each is its number, z fastest."""
    x, y, z = (np.arange(begin, end, dtype=float) for begin, end in part)
    numbers: np.ndarray = (x[:, None, None] * grid[1] + y[:, None]) * grid[2] + z
    return numbers


if __name__ == "__main__":
    sys.exit(main())
