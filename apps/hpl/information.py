"""Distribution of the input from process 0 to all others, in HPL's messages (HPL_pdinfo)."""

import numpy as np
from collectives import all_reduce, broadcast
from dat import Input
from mpi4py import MPI

LISTS = ("ns", "nbs", "ps", "qs", "pfacts", "nbmins", "ndivs", "rfacts", "bcasts", "depths")


def share(world: MPI.Comm, asked: Input | None) -> Input:
    """Return the input given by process 0; all processes call this."""
    all_reduce(world, np.array([2.0**-53]), np.maximum)  # the coarsest machine precision of all processes
    threshold = np.array([0.0 if asked is None else asked.threshold])
    broadcast(world, threshold)
    numbers = np.zeros(15, np.intc)
    if asked is not None:
        numbers[:] = [len(asked.ns), len(asked.nbs), asked.column_major, len(asked.ps), len(asked.pfacts),
                      len(asked.nbmins), len(asked.ndivs), len(asked.rfacts), len(asked.bcasts), len(asked.depths),
                      asked.swap_threshold, asked.l1_transposed, asked.u_transposed, asked.equilibration,
                      asked.alignment]  # fmt: skip
    broadcast(world, numbers)
    lengths = numbers[[0, 1, 3, 3, 4, 5, 6, 7, 8, 9]].tolist()  # P and Q have the same length
    values = np.zeros(sum(lengths) + 1, np.intc)
    if asked is not None:
        values[:] = [value for name in LISTS for value in getattr(asked, name)] + [asked.swap]
    broadcast(world, values)
    parts = [part.tolist() for part in np.split(values[:-1], np.cumsum(lengths)[:-1])]
    return Input(
        **dict(zip(LISTS, parts, strict=True)),
        column_major=bool(numbers[2]),
        swap=int(values[-1]),
        swap_threshold=int(numbers[10]),
        l1_transposed=bool(numbers[11]),
        u_transposed=bool(numbers[12]),
        equilibration=bool(numbers[13]),
        alignment=int(numbers[14]),
        threshold=float(threshold[0]),
    )
