"""Where the ranks of a point go: core after core, host after host, or anywhere."""

from typing import TYPE_CHECKING

from pysmpi.study.parameters import HOSTFILE

if TYPE_CHECKING:
    from pysmpi.platform import Platform

__all__ = ["host_names"]


def host_names(mapping: str, ranks: int, platform: "Platform", seed: int) -> list[str]:
    """The host of each rank.

    Args:
        mapping: "sequential": all cores of a host before the next; "round-robin": a rank on each host, then another on
            each; "random": any core of the platform; "hostfile:FILE".
        ranks: how many.
        platform: the machine.
        seed: of a random mapping.

    Raises:
        PlacementError: there are more ranks than cores, or the file is not valid.
    """
    from pysmpi.launch.placement import by_cores, by_hostfile, by_mapping

    if mapping.startswith(HOSTFILE):
        placed = by_hostfile(ranks, mapping.removeprefix(HOSTFILE), platform)
    else:
        placed = by_cores(ranks, platform)  # or there are too few cores, whichever way they are gone through
        if mapping != "sequential":
            cores = [host.index for host in platform.hosts for _ in range(host.cores)]
            placed = by_mapping(mapping, ranks, cores, seed)
    return [platform.hosts[index].name for index in placed]
