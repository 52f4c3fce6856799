"""What if the machine were another one: factors on what a platform's description says."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from pysmpi.native import lib
from pysmpi.platform.machine import Platform
from pysmpi.platform.patterns import hosts_named, links_named

__all__ = ["Quantity", "Scaling", "parse_factor", "scale"]


class Quantity(IntEnum):
    """What is scaled, as the native platform has it."""

    BANDWIDTH = lib.PYSMPI_SCALE_BANDWIDTH
    SPEED = lib.PYSMPI_SCALE_SPEED
    LATENCY = lib.PYSMPI_SCALE_LATENCY


@dataclass(frozen=True, slots=True)
class Scaling:
    """A factor.

    Attributes:
        quantity: of links their bandwidth, of hosts how fast they compute, of all routes their latency. A host at a
            factor of 0.5 takes twice as long for all that its ranks compute, whatever says how long that is.
        factor: above 0.
        name: of a link or a host, or a pattern of names as the shell has it (``node-*``); None: all. A link with two
            directions has one name for both.
    """

    quantity: Quantity
    factor: float
    name: str | None = None


def parse_factor(text: str) -> float:
    """The factor that a text says.

    Raises:
        ValueError: it says none.
    """
    try:
        factor = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None
    if not math.isfinite(factor) or factor <= 0:
        raise ValueError(f"{text!r} is not a number above 0")
    return factor


def scale(platform: Platform, scalings: Iterable[Scaling]) -> None:
    """From now on the platform has these factors and no others; several on one thing are multiplied.

    Raises:
        PlatformError: it has no link, or no host, of that name.
    """
    platform.scale_back()
    for each in scalings:
        named = links_named if each.quantity is Quantity.BANDWIDTH else hosts_named
        items: Sequence[int | None] = [None] if each.name is None else named(platform, each.name)
        for item in items:
            platform.scale(each.quantity, item, each.factor)
