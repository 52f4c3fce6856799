"""Factors on bandwidths, speeds and latencies of a platform, for what-if runs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from pysmpi.native import lib
from pysmpi.platform.machine import Platform
from pysmpi.platform.patterns import hosts_named, links_named

__all__ = ["Quantity", "Scaling", "parse_factor", "scale"]


class Quantity(IntEnum):
    """A scaled quantity, numbered as in the native platform."""

    BANDWIDTH = lib.PYSMPI_SCALE_BANDWIDTH
    SPEED = lib.PYSMPI_SCALE_SPEED
    LATENCY = lib.PYSMPI_SCALE_LATENCY


@dataclass(frozen=True, slots=True)
class Scaling:
    """A factor on a quantity.

    Attributes:
        quantity: bandwidth of links, speed of hosts, or latency of all routes. At a speed factor of 0.5 all
            computation on a host takes twice as long, whether it is measured, modelled or injected.
        factor: number above 0.
        name: name of a link or host, or a shell pattern such as ``node-*``, or None for all. A split link has one name
            for both directions.
    """

    quantity: Quantity
    factor: float
    name: str | None = None


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
    """Replace the factors of a platform; several factors on one thing are multiplied.

    Raises:
        PlatformError: the platform has no link or host of a name.
    """
    platform.scale_back()
    for each in scalings:
        named = links_named if each.quantity is Quantity.BANDWIDTH else hosts_named
        items: Sequence[int | None] = [None] if each.name is None else named(platform, each.name)
        for item in items:
            platform.scale(each.quantity, item, each.factor)
