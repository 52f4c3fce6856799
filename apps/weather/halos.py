"""The program of halo.py: the exchange of a wide halo, its command line, and the check of its data."""

import argparse

import numpy as np
from command_line import Parser, shared_options
from mpi4py import MPI
from report import all_right, present, slowest
from sweeps import Line, sweep

import pysmpi


def main() -> int:
    """Run the exchange; the exit status is 1 if `--check` finds wrong data, 2 if the split is not valid."""
    world = MPI.COMM_WORLD
    options = shared_options(world, parse)
    if not options.check:
        pysmpi.untimed_program()  # only communication is studied; the time of Python code must not be added
    parts, right = run(world, options)
    if world.Get_rank() == 0:
        size = " × ".join(f"{points:,}" for points in options.grid)
        title = f"halo of width {options.width} of {size} points on {options.cx} × {options.cy} ranks"
        present(title, parts, right, options.json)
    return 1 if right is False else 0


def parse(ranks: int) -> argparse.Namespace:
    """Return the command line.

    Raises:
        SystemExit: if it is not valid, or asks for help.
    """
    parser = Parser("Times the exchange of a halo in x and y.")
    parser.add_argument("--width", type=int, default=20, help="width of the halo in points (20)")
    parser.add_argument("--check", action="store_true", help="use real data, and compare it with the whole grid")
    options = parser.parse_args()
    parser.check_split(options, ranks)
    if options.width < 0:
        parser.error(f"--width {options.width} must be at least 0")
    return options


def run(world: MPI.Comm, options: argparse.Namespace) -> tuple[list[tuple[str, float]], bool | None]:
    """Return the seconds of each sweep on the slowest rank, and whether the data is right if it is checked."""
    grid: tuple[int, int, int] = tuple(options.grid)
    width, rank = options.width, world.Get_rank()
    lines = Line.along_x(grid, options.cx, rank), Line.along_y(grid, options.cx, options.cy, rank)
    (left, right_end), (low, high) = lines[0].own, lines[1].own
    field = empty_field(grid, (left, right_end), (low, high), width) if options.check else None
    others = (high - low) * grid[2], (right_end - left + 2 * width) * grid[2]
    rows = None if field is None else field[:, width : width + high - low]  # without the y halo
    parts = []
    for axis, name in enumerate(("x sweep", "y sweep")):
        world.Barrier()
        begin = MPI.Wtime()
        sweep(world, lines[axis], width, others[axis], rows if axis == 0 else field, axis)
        parts.append((name, slowest(world, MPI.Wtime() - begin)))
    if field is None:
        return parts, None
    expected = values(grid, (left - width, right_end + width), (low - width, high + width))
    return parts, all_right(world, np.array_equal(field, expected))


def empty_field(grid: tuple[int, int, int], x: tuple[int, int], y: tuple[int, int], width: int) -> np.ndarray:
    """Return a rank's part of the field, with a halo that is not a number."""
    own = values(grid, x, y)
    field = np.full((own.shape[0] + 2 * width, own.shape[1] + 2 * width, grid[2]), np.nan)
    field[width : width + own.shape[0], width : width + own.shape[1]] = own
    return field


def values(grid: tuple[int, int, int], x: tuple[int, int], y: tuple[int, int]) -> np.ndarray:
    """Return a part of a periodic field in which all points differ: each is its number, z fastest."""
    along_x = np.arange(*x)[:, None, None] % grid[0]
    along_y = np.arange(*y)[:, None] % grid[1]
    return ((along_x * grid[1] + along_y) * grid[2] + np.arange(grid[2])).astype(float)
