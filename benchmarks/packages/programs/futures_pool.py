"""Compute pi on the workers of mpi4py.futures, with the function pickled by dill instead of by pickle."""

import dill
from mpi4py import MPI
from mpi4py.futures import MPIPoolExecutor, wait

MPI.pickle.__init__(dill.dumps, dill.loads)

if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        parts = [executor.submit(lambda x: 4 / (1 + x * x) / 1000, (k + 0.5) / 1000) for k in range(1000)]
        wait(parts)
        print(f"{sum(part.result() for part in parts):.9f}", executor.num_workers)
        print(list(executor.starmap(pow, [(2, k) for k in range(5)])))
