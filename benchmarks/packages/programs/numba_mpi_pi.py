"""Call MPI from compiled functions with numba-mpi: sends, a reduction and a broadcast inside of numba.jit."""

import numba
import numba_mpi
import numpy as np


@numba.jit(nopython=True)
def compute(steps: int) -> float:
    """Return pi, of which each rank sums a part."""
    rank, size = numba_mpi.rank(), numba_mpi.size()
    part, total = np.zeros(1), np.zeros(1)
    for k in range(rank, steps, size):
        part[0] += 4 / (1 + ((k + 0.5) / steps) ** 2) / steps
    numba_mpi.allreduce(part, total, operator=numba_mpi.Operator.SUM)
    token = np.array([10.0 * rank])
    if rank > 0:
        numba_mpi.send(token, dest=rank - 1, tag=1)
    if rank < size - 1:
        numba_mpi.recv(token, source=rank + 1, tag=1)
    numba_mpi.barrier()
    return total[0] + token[0]


print(numba_mpi.rank(), round(compute(10000), 8))
