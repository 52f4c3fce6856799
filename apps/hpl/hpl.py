"""The High-Performance Linpack benchmark: hpl.py HPL.dat, or hpl.py --n N [--nb NB] [--p P] [--q Q] (see --help)."""

import contextlib
import sys
from collections.abc import Callable

import numpy as np
import options
import report
from arithmetic import load_library
from collectives import all_reduce, barrier
from grid import Grid
from matgen import generate
from model import Model
from mpi4py import MPI
from residual import check, gather_solution
from solver import SingularMatrixError, solve
from variant import Variant

import pysmpi


def main() -> int:
    """Run everything that the command line asks for; the exit status is 1 if a test failed or was skipped."""
    world = MPI.COMM_WORLD
    status = np.zeros(1, np.intc)
    plan: options.Plan | None = None
    if world.Get_rank() == 0:  # one rank reads the command line, so that help and errors appear once
        try:
            plan = options.parse(sys.argv[1:], world.Get_size(), pysmpi.is_simulated())
        except SystemExit as stop:
            status[0] = 1 + int(stop.code or 0)
    all_reduce(world, status, np.maximum)
    if status[0]:
        return int(status[0]) - 1
    plan = options.share(world, plan)
    say: Callable[[str], None] = print if world.Get_rank() == 0 else lambda text: None
    say(report.header(plan))
    outcomes: list[str] = []
    # The model determines the cost of computation; the time of Python code must not be added.
    with contextlib.nullcontext() if plan.model is None else pysmpi.untimed():
        for variant in plan.asked.variants():
            in_grid = world.Get_rank() < variant.p * variant.q
            comm = world.Split(0 if in_grid else MPI.UNDEFINED, world.Get_rank())
            if in_grid:
                if plan.checks() or not outcomes:
                    say(report.HEADING)
                outcomes.append(run(comm, variant, plan, say))
                comm.Free()
    say(report.summary(outcomes, plan.checks()))
    return 1 if "failed" in outcomes or "skipped" in outcomes else 0


def run(comm: MPI.Comm, variant: Variant, plan: options.Plan, say: Callable[[str], None]) -> str:
    """Solve one system on the ranks of `comm`, and print its time. Return the outcome (see report.summary)."""
    n, nb = variant.n, variant.nb
    grid = Grid(comm, variant.p, variant.q, variant.column_major)
    if plan.model is None:
        load_library()
        matrix = generate(grid, n, nb, variant.alignment)
    else:
        model = Model(grid, variant, plan.model, plan.pivots, plan.rates.blas)
    # HPL checks here that all processes have enough memory; its messages take time.
    all_reduce(comm, np.array([0, grid.my_row, grid.my_column], np.intc), np.maximum)
    barrier(comm)
    start = MPI.Wtime()
    if plan.model is not None:
        model.solve()
    else:
        try:
            x = solve(grid, variant, matrix)
        except SingularMatrixError as error:
            say(f"The matrix is singular: {error}.")
            grid.free()
            return "skipped"
    elapsed = np.array([MPI.Wtime() - start])
    all_reduce(comm, elapsed, np.maximum)
    if elapsed[0] > 0:
        say(report.result(variant, float(elapsed[0])))
    outcome = "unchecked"
    if plan.checks():
        residual = check(grid, n, nb, x)
        say(report.check(residual, plan.asked.threshold))
        outcome = "passed" if residual.scaled < plan.asked.threshold else "failed"
    if plan.solution is not None:
        solution = gather_solution(grid, n, nb, x)
        if solution is not None:
            np.save(plan.solution, solution)
    grid.free()
    return outcome


if __name__ == "__main__":
    sys.exit(main())
