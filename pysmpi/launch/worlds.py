"""Worlds: the ranks that share an MPI_COMM_WORLD, and the environment variables that describe it to them."""

import bisect
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["Worlds"]


@dataclass
class _World:
    first: int
    local_ranks: list[int]
    local_sizes: list[int]


@dataclass
class Worlds:
    """Worlds of a simulation: the worlds of the initial ranks, and one for each call that spawns ranks.

    Args:
        placed: host number of each rank; spawned ranks are appended.
    """

    placed: Sequence[int]
    _worlds: list[_World] = field(default_factory=list)
    _under_slurm: bool = field(default_factory=lambda: "SLURM_PROCID" in os.environ)

    def add(self, first: int, end: int | None = None) -> None:
        """Add a world of the ranks from `first` to `end` (exclusive), or to the last rank."""
        members: Counter[int] = Counter()
        local_ranks = []
        for host in self.placed[first:end]:
            local_ranks.append(members[host])
            members[host] += 1
        self._worlds.append(_World(first, local_ranks, [members[host] for host in self.placed[first:end]]))

    def variables(self, rank: int) -> dict[str, str]:
        """Return the environment variables that the launchers of MPICH and Open MPI would set for a rank.

        If pysmpirun itself runs under Slurm, the result also replaces Slurm's variables.
        """
        world = self._worlds[bisect.bisect_right(self._worlds, rank, key=lambda each: each.first) - 1]
        index = rank - world.first
        size, local_rank, local_size = len(world.local_ranks), world.local_ranks[index], world.local_sizes[index]
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
