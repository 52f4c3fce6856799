"""Command lines of the programs: read once by rank 0, so that an error is one line, whatever the number of ranks."""

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

from mpi4py import MPI
from partition import check_split

import pysmpi

GRID = (28800, 14400, 256)


class Parser(argparse.ArgumentParser):
    """Parser with the options that all programs have; its errors are one line, and exit status 2."""

    def __init__(self, description: str) -> None:
        super().__init__(description=description)
        self.add_argument("--cx", type=int, required=True, help="number of parts of x")
        self.add_argument("--cy", type=int, required=True, help="number of parts of y")
        self.add_argument("--grid", type=int, nargs=3, default=GRID, metavar=("NX", "NY", "NZ"),
                          help="points of the grid, 8 bytes each (28800 14400 256)")  # fmt: skip
        self.add_argument("--json", action="store_true", help="print a JSON object")

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}", file=sys.stderr)
        raise SystemExit(2)

    def check_split(self, options: argparse.Namespace, ranks: int, divided: str = "xy") -> None:
        """End with an error if the ranks cannot be arranged as cx × cy, or would have no points of a divided
        dimension."""
        problem = check_split(options.cx, options.cy, ranks, options.grid, divided)
        if problem is not None:
            self.error(problem)


def shared_options(world: MPI.Comm, parse: Callable[[int], argparse.Namespace]) -> argparse.Namespace:
    """Return the command line as `parse` (called on rank 0 with the number of ranks) returns it, on all ranks.

    Raises:
        SystemExit: on all ranks, if `parse` raises it.
    """
    options: argparse.Namespace | int | None = None
    if world.Get_rank() == 0:
        try:
            options = parse(world.Get_size())
        except SystemExit as end:
            options = int(end.code or 0)
    options = world.bcast(options)
    if isinstance(options, int):
        raise SystemExit(options)
    named = vars(options).items()
    return _namespace(tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in named))


@pysmpi.shared_cache
def _namespace(options: tuple[tuple[str, object], ...]) -> argparse.Namespace:
    return argparse.Namespace(**dict(options))  # the ranks of a simulation share it
