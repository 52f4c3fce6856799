"""Map over the workers of zwembad's executor, which are ranks and not spawned, as in its README."""

from mpi4py import MPI
from zwembad import MPIPoolExecutor


def square(x: int) -> int:
    """Return the square."""
    return x * x


with MPIPoolExecutor() as pool:
    pool.workers_exit()
    futures = [pool.submit(square, i) for i in range(20)]
    print([future.result() for future in futures])
    print(list(pool.map(square, range(5))))
print("together again", MPI.COMM_WORLD.rank)
