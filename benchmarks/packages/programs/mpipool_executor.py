"""Map over the workers of mpipool's executor, which answers futures from a thread, as in its README."""

from mpi4py.MPI import COMM_WORLD
from mpipool import MPIExecutor


def square(x: int) -> int:
    """Return the square."""
    return x * x


with MPIExecutor() as pool:
    pool.workers_exit()
    futures = pool.submit_batch(square, range(10))
    print(sorted(future.result() for future in futures))
COMM_WORLD.Barrier()
print("together again", COMM_WORLD.rank)
