"""What a simulation has consumed."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pysmpi.errors import SimulationError, unknown

__all__ = ["Consumption", "LinkConsumption", "lines"]


@dataclass(frozen=True, eq=False)
class Consumption:
    """Energy from the beginning of a simulation to its end.

    Attributes:
        host_names: of all hosts of the platform, in its order.
        hosts: joules of each, float64.
        used: which of them have computed something, bool.
        ranks: joules of each rank, float64: an even share of what its host takes while idle, and of what the host takes
            beyond an even share for each of its computations under way. With hosts without ranks they add up to the
            whole.
        carbon: grams of carbon dioxide of each host, float64; None where the platform has no ``carbon_intensity``.
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
        """Joules of those that have computed something."""
        return float(self.hosts[self.used].sum())

    @property
    def of_unused_hosts(self) -> float:
        """Joules of the others."""
        return float(self.hosts[~self.used].sum())

    def of(self, host: str) -> float:
        """Joules of the host of that name.

        Raises:
            SimulationError: there is none; the message tells the nearest one.
        """
        if host not in self.host_names:
            raise SimulationError(unknown("host", host, self.host_names))
        return float(self.hosts[self.host_names.index(host)])


@dataclass(frozen=True, eq=False)
class LinkConsumption:
    """Energy of links from the beginning of a simulation to its end.

    Attributes:
        link_names: of those whose power is told.
        links: joules of each, float64.
    """

    link_names: tuple[str, ...]
    links: NDArray[np.float64]

    @property
    def total(self) -> float:
        """Joules of all of them."""
        return float(self.links.sum())


def lines(hosts: Consumption | None, links: LinkConsumption | None) -> Iterator[str]:
    """What is printed at a run's end, in SimGrid's words (3.32, host_energy.cpp and link_energy.cpp in src/plugins)."""
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
