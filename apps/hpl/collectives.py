"""HPL's own collectives on the grid, of small messages along binary trees (HPL_broadcast, HPL_reduce, HPL_barrier)."""

from typing import Any

import numpy as np
import numpy.typing as npt
from mpi4py import MPI
from rounds import powers_down

Vector = npt.NDArray[Any]


def broadcast(comm: MPI.Comm, buffer: Vector, root: int = 0) -> None:
    """The root's buffer to all, the largest distance first."""
    size = comm.Get_size()
    distance = (comm.Get_rank() - root) % size
    steps = powers_down(size)
    mask = 2 * steps[0] - 1 if steps else 0
    for step in steps:
        mask ^= step
        partner = distance ^ step
        if distance & mask:
            continue
        if distance & step:
            comm.Recv(buffer, (root + partner) % size)
        elif partner < size:
            comm.Send(buffer, (root + partner) % size)


def reduce(comm: MPI.Comm, buffer: Vector, operation: np.ufunc, root: int = 0) -> None:
    """What the operation makes of all buffers into the root's, the smallest distance first; others' are spoilt."""
    size = comm.Get_size()
    distance = (comm.Get_rank() - root) % size
    incoming = np.empty_like(buffer)
    mask = 0
    for step in reversed(powers_down(size)):
        if distance & mask == 0:
            partner = distance ^ step
            if distance & step:
                comm.Send(buffer, (root + partner) % size)
            elif partner < size:
                comm.Recv(incoming, (root + partner) % size)
                operation(buffer, incoming, out=buffer)
        mask ^= step


def all_reduce(comm: MPI.Comm, buffer: Vector, operation: np.ufunc) -> None:
    """What the operation makes of all buffers into each of them."""
    reduce(comm, buffer, operation)
    broadcast(comm, buffer)


def barrier(comm: MPI.Comm) -> None:
    """Nobody goes on before rank 0 has come (HPL's barrier is a broadcast)."""
    broadcast(comm, np.zeros(1, np.intc))
