"""Compute pi on the workers of mpi4py.futures, with the function pickled by dill instead of by pickle."""

import dill
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor, get_comm_workers, wait

MPI.pickle.__init__(dill.dumps, dill.loads)

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        steps = 1000
        parts = [executor.submit(lambda k: 4 / (1 + ((k + 0.5) / steps) ** 2) / steps, k) for k in range(steps)]
        wait(parts)
        print(f"{sum(part.result() for part in parts):.9f}", executor.num_workers, sep=" ")
        print(list(executor.starmap(pow, [(2, k) for k in range(5)])), get_comm_workers is not None)
