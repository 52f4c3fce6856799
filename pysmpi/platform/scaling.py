"""What if the machine were another one: factors on what a platform's description says."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase

from pysmpi.errors import LONGEST_WORD, MOST_CHOICES, PlatformError, nearest
from pysmpi.native import lib
from pysmpi.platform.machine import Host, Link, Platform

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
        items = [None] if each.name is None else _named(platform, each.quantity, each.name)
        for item in items:
            platform.scale(each.quantity, item, each.factor)


def _named(platform: Platform, quantity: Quantity, name: str) -> Sequence[int]:
    of_link = quantity is Quantity.BANDWIDTH
    if of_link:
        exact = [platform.find_link_number(each) for each in (name, f"{name}_UP", f"{name}_DOWN")]
    else:
        exact = [platform.find_number(name)]
    found = [item for item in exact if item is not None]
    everything: Sequence[Link] | Sequence[Host] = platform.links if of_link else platform.hosts
    if not found and any(wildcard in name for wildcard in "*?["):
        found = [item.index for item in everything if fnmatchcase(item.name, name)]
    if found:
        return found
    what = "link" if of_link else "host"
    similar = nearest(name, (item.name for item in everything[:MOST_CHOICES]))
    hint = f"; did you mean {similar!r}?" if similar else ""
    names = f"{everything[0].name} to {everything[-1].name}" if everything else "none"
    raise PlatformError(
        f"{platform.source}: no {what} is called {name[:LONGEST_WORD]!r}{hint} (there are {len(everything)}: {names}; "
        "a pattern such as 'node-*' stands for several)"
    )
