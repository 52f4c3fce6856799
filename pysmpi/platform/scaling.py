"""Factors on bandwidths, speeds and latencies of a platform, for what-if runs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from pysmpi.native import lib
from pysmpi.platform.machine import Platform
from pysmpi.platform.patterns import hosts_named, links_named

__all__ = ["Quantity", "Scaling", "memory_stretches", "parse_factor", "scale"]


class Quantity(IntEnum):
    """A quantity of a platform that what-if runs can multiply by a factor.

    The values are constants of the C++ engine. There, MEMORY multiplies the property memory_bandwidth, which messages
    and computations share. Its factor also applies to folded arrays (`pysmpi.simulation.modifiers.folded_memory`).
    """

    BANDWIDTH = lib.PYSMPI_SCALE_BANDWIDTH
    SPEED = lib.PYSMPI_SCALE_SPEED
    LATENCY = lib.PYSMPI_SCALE_LATENCY
    MEMORY = lib.PYSMPI_SCALE_MEMORY


@dataclass(frozen=True, slots=True)
class Scaling:
    """A factor on a quantity of a platform, for what-if runs.

    Attributes:
        quantity: bandwidth of links, speed of hosts, latency of all routes, or memory bandwidth of hosts. At a speed
            factor of 0.5 computation on a host takes twice as long, whether it is measured, modelled or injected.
        factor: number above 0.
        name: name of a link or host, or a shell pattern such as ``node-*``, or None for all. A split link has one name
            for both directions.
        of_cores: True if a factor on speed leaves the time of memory traffic (of folded arrays) as it is.
    """

    quantity: Quantity
    factor: float
    name: str | None = None
    of_cores: bool = False


def memory_stretches(platform: Platform, scalings: Iterable[Scaling]) -> dict[int, float]:
    """Return the factors by which memory traffic takes longer, by host number; hosts with factor 1 are omitted.

    Factors on a host's speed accelerate all computation on it. If only the cores are faster, the returned factor undoes
    the acceleration of memory traffic. It also includes factors on memory bandwidth.
    """
    stretches: dict[int, float] = {}
    for each in scalings:
        factor = each.factor if each.quantity is Quantity.SPEED else 1 / each.factor
        if each.quantity is Quantity.MEMORY or (each.quantity is Quantity.SPEED and each.of_cores):
            hosts = range(len(platform.hosts)) if each.name is None else hosts_named(platform, each.name)
            for host in hosts:
                stretches[host] = stretches.get(host, 1.0) * factor
    return {host: factor for host, factor in stretches.items() if factor != 1.0}


def parse_factor(text: str) -> float:
    """Return the factor in a text.

    Raises:
        ValueError: the text is not a number above 0.
    """
    try:
        factor = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None
    if not math.isfinite(factor) or factor <= 0:
        raise ValueError(f"{text!r} is not a number above 0")
    return factor


def scale(platform: Platform, scalings: Iterable[Scaling]) -> None:
    """Replace the factors of a platform; several factors on the same quantity are multiplied.

    Raises:
        PlatformError: the platform has no link or host of a name.
    """
    platform.scale_back()
    for each in scalings:
        named = links_named if each.quantity is Quantity.BANDWIDTH else hosts_named
        items: Sequence[int | None] = [None] if each.name is None else named(platform, each.name)
        for item in items:
            platform.scale(each.quantity, item, each.factor)
