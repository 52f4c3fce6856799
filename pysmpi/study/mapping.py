"""Mapping of ranks to hosts in the simulations of a study."""

from typing import TYPE_CHECKING

from pysmpi.study.parameters import HOSTFILE

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["host_names"]


def host_names(mapping: str, ranks: int, platform: "Platform", seed: int) -> list[str]:
    """Return the host name of each rank.

    Args:
        mapping: "sequential" (fill all cores of a host, then the next host), "round-robin" (one rank per host, then a
            second one per host, and so on), "random" (random cores of the platform) or "hostfile:FILE".
        ranks: number of ranks.
        platform: the machine.
        seed: seed of a random mapping.

    Raises:
        PlacementError: if there are more ranks than cores, or the file is not valid.
    """
    from pysmpi.simulation.launch.placement import by_cores, by_hostfile, by_mapping

    if mapping.startswith(HOSTFILE):
        placed = by_hostfile(ranks, mapping.removeprefix(HOSTFILE), platform)
    else:
        placed = by_cores(ranks, platform)  # also checks that there are enough cores
        if mapping != "sequential":
            cores = [host.index for host in platform.hosts for _ in range(host.cores)]
            placed = by_mapping(mapping, ranks, cores, seed)
    return [platform.hosts[index].name for index in placed]
