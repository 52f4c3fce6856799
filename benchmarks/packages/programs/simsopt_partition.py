"""Minimise a sum of squares with simsopt, whose gradients are split over groups of ranks."""

import numpy as np
from simsopt._core import Optimizable
from simsopt.objectives import LeastSquaresProblem
from simsopt.solve.mpi import least_squares_mpi_solve
from simsopt.util.mpi import MpiPartition


class Rosenbrock(Optimizable):
    """The two terms of Rosenbrock's function."""

    def __init__(self) -> None:
        super().__init__(x0=np.array([-1.0, 2.0]))

    def terms(self) -> np.ndarray:
        """Return the terms, which are 0 at (1, 1)."""
        x, y = self.x
        return np.array([x - 1, 10 * (y - x**2)])


partition = MpiPartition(ngroups=2)
function = Rosenbrock()
least_squares_mpi_solve(LeastSquaresProblem.from_tuples([(function.terms, 0, 1)]), partition, grad=True)
if partition.proc0_world:
    print(np.round(function.x, 4).tolist(), partition.ngroups)
