"""The block-cyclic distribution of rows over P process rows, and of columns over Q process columns.

Global row i lies in block i // NB, which belongs to process row (i // NB) mod P; columns likewise.
"""

import numpy as np
import numpy.typing as npt


def squarest(ranks: int) -> tuple[int, int]:
    """Return P and Q with P×Q = ranks and P ≤ Q, P as large as possible."""
    p = next(p for p in range(int(ranks**0.5), 0, -1) if ranks % p == 0)
    return p, ranks // p


def local_count(below: int, nb: int, process: int, processes: int) -> int:
    """Return how many of the global indices 0 … below-1 this process holds (ScaLAPACK's numroc)."""
    rounds, rest = divmod(below, nb * processes)
    return rounds * nb + min(max(rest - process * nb, 0), nb)


def owner(index: int, nb: int, processes: int) -> int:
    """Return the process that holds a global index."""
    return index // nb % processes


def local_index(index: int, nb: int, processes: int) -> int:
    """Return the local index of a global index on its owner."""
    return index // (nb * processes) * nb + index % nb


def global_indices(below: int, nb: int, process: int, processes: int) -> npt.NDArray[np.int64]:
    """Return the global indices less than `below` that this process holds, in local order."""
    local = np.arange(local_count(below, nb, process, processes))
    return (local // nb * processes + process) * nb + local % nb
