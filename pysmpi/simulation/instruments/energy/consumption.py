"""Energy that the hosts, ranks and links of the simulated machine consume."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pysmpi.errors import SimulationError, unknown

__all__ = ["Consumption", "LinkConsumption", "lines"]


@dataclass(frozen=True, eq=False)
class Consumption:
    """Energy of hosts and ranks over a whole simulation.

    Attributes:
        host_names: names of all hosts, in platform order.
        hosts: joules of each host, float64.
        used: whether each host has computed something, bool.
        ranks: joules of each rank, float64. The idle power of a host is shared equally by its ranks, the remaining
            power in proportion to their computations in progress. The joules of all ranks and of the hosts without
            ranks add up to `total`.
        carbon: grams of carbon dioxide of each host, float64, or None if no host has a ``carbon_intensity``.
    """

    host_names: tuple[str, ...]
    hosts: NDArray[np.float64]
    used: NDArray[np.bool_]
    ranks: NDArray[np.float64]
    carbon: NDArray[np.float64] | None = None

    @property
    def total(self) -> float:
        """Joules of all hosts."""
        return float(self.hosts.sum())

    @property
    def of_used_hosts(self) -> float:
        """Joules of the hosts that have computed something."""
        return float(self.hosts[self.used].sum())

    @property
    def of_unused_hosts(self) -> float:
        """Joules of the hosts that have computed nothing."""
        return float(self.hosts[~self.used].sum())

    def to_json(self) -> dict[str, Any]:
        """Return the joules of all hosts, of used and unused hosts, and of each rank, for a saved run."""
        return {
            "total": self.total,
            "used_hosts": self.of_used_hosts,
            "unused_hosts": self.of_unused_hosts,
            "ranks": self.ranks.tolist(),
        }

    def of(self, host: str) -> float:
        """Return the joules of a host.

        Raises:
            SimulationError: if the host does not exist; the message names the nearest one.
        """
        if host not in self.host_names:
            raise SimulationError(unknown("host", host, self.host_names))
        return float(self.hosts[self.host_names.index(host)])


@dataclass(frozen=True, eq=False)
class LinkConsumption:
    """Energy of links over a whole simulation.

    Attributes:
        link_names: names of the links with power properties.
        links: joules of each of these links, float64.
    """

    link_names: tuple[str, ...]
    links: NDArray[np.float64]

    @property
    def total(self) -> float:
        """Joules of all links with power properties."""
        return float(self.links.sum())


def lines(hosts: Consumption | None, links: LinkConsumption | None) -> Iterator[str]:
    """Yield the lines of the energy report, worded as SimGrid 3.32 does (src/plugins/{host,link}_energy.cpp)."""
    if hosts is not None:
        yield (
            f"Total energy consumption: {hosts.total:f} Joules (used hosts: {hosts.of_used_hosts:f} Joules; "
            f"unused/idle hosts: {hosts.of_unused_hosts:f})"
        )
        for name, joules in zip(hosts.host_names, hosts.hosts, strict=True):
            yield f"Energy consumption of host {name}: {joules:f} Joules"
        if hosts.carbon is not None:
            yield f"Total carbon footprint: {hosts.carbon.sum():f} grams of CO2"
    if links is not None:
        yield f"Total energy over all links: {links.total:f}"
        for name, joules in zip(links.link_names, links.links, strict=True):
            yield f"Energy consumption of link '{name}': {joules:f} Joules"
