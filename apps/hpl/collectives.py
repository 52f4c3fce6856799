"""HPL's own collectives for small messages, along binary trees (HPL_broadcast, HPL_reduce, HPL_barrier)."""

from typing import Any

import numpy as np
import numpy.typing as npt
from mpi4py import MPI
from rounds import powers_down

Vector = npt.NDArray[Any]


def broadcast(comm: MPI.Comm, buffer: Vector, root: int = 0) -> None:
    """Broadcast the root's buffer, largest distance first."""
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
    """Reduce all buffers into the root's, smallest distance first; the other buffers are overwritten."""
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
    """Reduce all buffers, and store the result in each of them."""
    reduce(comm, buffer, operation)
    broadcast(comm, buffer)


def barrier(comm: MPI.Comm) -> None:
    """Wait until rank 0 has called this function: HPL's barrier is a broadcast from rank 0."""
    broadcast(comm, np.zeros(1, np.intc))
