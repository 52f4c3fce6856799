"""Worlds: the ranks that share an MPI_COMM_WORLD, and the environment variables that describe it to them."""

import bisect
import functools
import os
from array import array
from collections import Counter
from collections.abc import Sequence

__all__ = ["Worlds"]


_RECENT = 16  # worlds whose numbers of ranks on each host are cached


class Worlds:
    """All worlds of a simulation, where a world is the ranks that share an MPI_COMM_WORLD.

    The initial ranks have one world or several, and each call that spawns ranks adds one.

    Args:
        placed: host number of each rank; spawned ranks are appended.
    """

    def __init__(self, placed: Sequence[int]) -> None:
        self._placed = placed
        self._firsts = array("q")
        self._local = functools.lru_cache(maxsize=_RECENT)(self._count)
        self._under_slurm = "SLURM_PROCID" in os.environ

    def add(self, first: int) -> None:
        """Add a world that begins with the rank `first` and ends before the first rank of the next world, if any."""
        self._firsts.append(first)

    def _count(self, first: int, end: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return the local ranks and local sizes of a world, which has the ranks from `first` to `end` - 1.

        Returns:
            For each rank, its index among the ranks of the world on its host; and for each rank, the number of ranks of
            the world on its host.
        """
        members: Counter[int] = Counter()
        local_ranks = array("q")
        for host in self._placed[first:end]:
            local_ranks.append(members[host])
            members[host] += 1
        return local_ranks, array("q", (members[host] for host in self._placed[first:end]))

    def variables(self, rank: int) -> dict[str, str]:
        """Return the environment variables that the launchers of MPICH and Open MPI would set for a rank.

        If pysmpirun itself runs under Slurm, the result also replaces Slurm's variables.
        """
        world = bisect.bisect_right(self._firsts, rank)
        first = self._firsts[world - 1]
        local_ranks, local_sizes = self._local(first, *self._firsts[world : world + 1] or [len(self._placed)])
        index, size = rank - first, len(local_ranks)
        local_rank, local_size = local_ranks[index], local_sizes[index]
        values = {
            "PMI_RANK": index,
            "PMI_SIZE": size,
            "MPI_LOCALRANKID": local_rank,
            "MPI_LOCALNRANKS": local_size,
            "OMPI_COMM_WORLD_RANK": index,
            "OMPI_COMM_WORLD_SIZE": size,
            "OMPI_COMM_WORLD_LOCAL_RANK": local_rank,
            "OMPI_COMM_WORLD_LOCAL_SIZE": local_size,
            "OMPI_COMM_WORLD_NODE_RANK": local_rank,
        }
        if self._under_slurm:
            values |= {"SLURM_PROCID": index, "SLURM_NTASKS": size, "SLURM_LOCALID": local_rank}
        return {name: str(value) for name, value in values.items()}
