"""Map a function over the ranks with pyina's pool."""

from mpi4py import MPI
from pyina.mpi_pool import parallel_map


def square(x: int) -> int:
    """Return the square."""
    return x * x


print(MPI.COMM_WORLD.rank, parallel_map(square, range(10)))
