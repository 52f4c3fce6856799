"""Solver of a semi-implicit atmospheric model: preconditioned GCR(k) on a Helmholtz problem.

gcr.py --cx N --cy N [--grid NX NY NZ] [--krylov 3] [--iterations 25] [--folded] [--json], on cx × cy ranks. Rank
j · cx + i has part i of x and part j of y, with all z.

The generalized conjugate residual method (Eisenstat, Elman and Schultz, SIAM J. Numer. Anal. 20, 1983) keeps the last k
search directions, as algorithm 1 of Zheng and Marguinaud (Geoscientific Model Development 11, 3409-3426, 2018) does. An
iteration has two allreduces: one of two numbers, and one of as many as there are directions. The problem is
u - C (u_xx + u_yy) - D u_zz = b, periodic in x and y, with no flux through top and bottom. The preconditioner solves
each column exactly, so it needs no messages. The right-hand side is an arithmetic function of the points' numbers, so
that any number of ranks solves the same problem.
"""

import argparse
import contextlib
import json
import sys
from collections import deque
from dataclasses import dataclass

import numpy as np
from command_line import Parser, shared_options
from mpi4py import MPI
from report import slowest
from sweeps import Line, sweep

import pysmpi

HORIZONTAL, VERTICAL = 100.0, 1000.0
"""Coefficients C and D, for distances of one point."""
TOLERANCE = 1e-6
"""Norm of the residual, relative to that of b, at which iterations end."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of the solver: norm of the residual relative to that of b (None if folded), numbers of iterations and of
    their allreduces, and seconds of the slowest rank."""

    residual: float | None
    iterations: int
    allreduces: int
    seconds: float


def main() -> int:
    """Solve the problem; the exit status is 2 if the split is not valid."""
    world = MPI.COMM_WORLD
    options = shared_options(world, parse)
    # Only communication is studied if the arrays are folded; the time of Python code in between must not be added.
    with pysmpi.untimed() if options.folded else contextlib.nullcontext():
        outcome = solve(world, options)
    if world.Get_rank() == 0:
        figures = {name: getattr(outcome, name) for name in Outcome.__slots__}
        pysmpi.report(**{name: value for name, value in figures.items() if value is not None})
        print(json.dumps(figures) if options.json else "\n".join(f"{key:12}{value}" for key, value in figures.items()))
    return 0


def parse(ranks: int) -> argparse.Namespace:
    """Return the command line.

    Raises:
        SystemExit: if it is not valid, or asks for help.
    """
    parser = Parser("Solves a Helmholtz problem by the generalized conjugate residual method.")
    parser.add_argument("--krylov", type=int, default=3, help="number of search directions that are kept (3)")
    parser.add_argument("--iterations", type=int, default=25, help="greatest number of iterations (25)")
    parser.add_argument("--folded", action="store_true", help="time the messages only; arrays take no memory")
    options = parser.parse_args()
    parser.check_split(options, ranks)
    for name in ("krylov", "iterations"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} {getattr(options, name)} must be at least 1")
    return options


class Problem:
    """One rank's part of the Helmholtz problem."""

    def __init__(self, world: MPI.Comm, grid: tuple[int, int, int], cx: int, cy: int, folded: bool) -> None:
        rank = world.Get_rank()
        self._world = world
        self._lines = Line.along_x(grid, cx, rank), Line.along_y(grid, cx, cy, rank)
        self._spans = tuple(line.own for line in self._lines)
        self.shape = *(end - begin for begin, end in self._spans), grid[2]
        self._folded = folded
        allocate = pysmpi.folded_empty if folded else np.zeros
        self._wide = allocate((self.shape[0] + 2, self.shape[1] + 2, self.shape[2]))
        self._solve_columns = None if folded else np.linalg.inv(
            (1 + 4 * HORIZONTAL) * np.eye(grid[2]) + VERTICAL * _differences(grid[2])
        )  # fmt: skip

    def right_hand_side(self, grid: tuple[int, int, int]) -> np.ndarray:
        """Return b: numbers between -1 and 1 without order, which excite all wave lengths."""
        if self._folded:
            return pysmpi.folded_empty(self.shape)
        x, y = (np.arange(*points) for points in self._spans)
        number = (x[:, None, None] * grid[1] + y[:, None]) * grid[2] + np.arange(grid[2])
        return (number * 2654435761 % 2**32) / 2.0**31 - 1

    def apply(self, field: np.ndarray) -> np.ndarray:
        """Return the operator's product with a field; neighbours exchange a halo of one point."""
        wide, (x, y, z) = self._wide, self.shape
        wide[1:-1, 1:-1] = field
        rows = None if self._folded else wide[:, 1:-1]
        sweep(self._world, self._lines[0], 1, y * z, rows, 0)
        sweep(self._world, self._lines[1], 1, (x + 2) * z, None if self._folded else wide, 1)
        if self._folded:
            return field
        around = wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:]
        product = (1 + 4 * HORIZONTAL) * field - HORIZONTAL * around
        steps = VERTICAL * np.diff(field, axis=2)
        product[:, :, :-1] -= steps
        product[:, :, 1:] += steps
        return product

    def precondition(self, field: np.ndarray) -> np.ndarray:
        """Return the solution of each column, as if its neighbours were zero."""
        return field if self._solve_columns is None else field @ self._solve_columns

    def dots(self, *pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """Return the inner products of pairs of fields, by one allreduce."""
        products = np.array([1.0 if self._folded else np.vdot(one, other) for one, other in pairs])
        self._world.Allreduce(MPI.IN_PLACE, products, MPI.SUM)
        return products


def solve(world: MPI.Comm, options: argparse.Namespace) -> Outcome:
    """Solve the problem, beginning with zero."""
    grid: tuple[int, int, int] = tuple(options.grid)
    problem = Problem(world, grid, options.cx, options.cy, options.folded)
    b = problem.right_hand_side(grid)
    world.Barrier()
    begin = MPI.Wtime()
    (norm,) = problem.dots((b, b))
    left, solution, residual = norm, b * 0, b
    p = problem.precondition(residual)
    q = problem.apply(p)
    directions: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=options.krylov)
    iterations, allreduces = 0, 0
    while iterations < options.iterations and (options.folded or left > TOLERANCE**2 * norm):
        iterations += 1
        gamma, eta = problem.dots((residual, q), (q, q))
        alpha = gamma / eta
        solution = solution + alpha * p
        residual = residual - alpha * q
        left -= gamma * alpha
        directions.append((p, q, eta))
        p = problem.precondition(residual)
        q = problem.apply(p)
        products = problem.dots(*((q, former) for _, former, _ in directions))
        for product, (old_p, old_q, old_eta) in zip(products, directions, strict=True):
            p = p - product / old_eta * old_p
            q = q - product / old_eta * old_q
        allreduces += 2
    seconds = slowest(world, MPI.Wtime() - begin)
    if options.folded:
        return Outcome(None, iterations, allreduces, seconds)
    error = b - problem.apply(solution)
    (squares,) = problem.dots((error, error))
    return Outcome(float(np.sqrt(squares / norm)), iterations, allreduces, seconds)


def _differences(points: int) -> np.ndarray:
    """Return the matrix of minus the second difference along z, without flux through the ends."""
    step = np.diff(np.eye(points), axis=0)
    return np.asarray(step.T @ step)


if __name__ == "__main__":
    sys.exit(main())
