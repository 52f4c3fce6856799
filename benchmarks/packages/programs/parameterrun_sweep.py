"""Sweep two parameters with ParameterRun on MPI's ranks, as in its README."""

from mpi4py import MPI
from parameterrun import parameterrun


def f(x: float, y: float, scale: float = 1) -> float:
    """Return a scaled sum."""
    return scale * (x + y)


values = [[1, 2, 3], [10, 20]]
result = parameterrun(f, ["x", "y"], values, scale=2, pbar_bool=False, backend="mpi")
if MPI.COMM_WORLD.rank == 0:
    print(result)
