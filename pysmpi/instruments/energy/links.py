"""What a platform says of its links' power, in SimGrid's properties (3.32, src/plugins/link_energy.cpp).

``wattage_range`` has ``Idle:Busy`` in watts: of a link that carries nothing, and of one whose whole bandwidth is taken;
in between, power grows with the load. ``wattage_off`` is for a link that is off (0).
"""

from typing import NamedTuple

from pysmpi.errors import PlatformError
from pysmpi.instruments.energy.properties import number, numbers
from pysmpi.platform import Platform

__all__ = ["LinkPower", "link_powers"]

_RANGE, _OFF = "wattage_range", "wattage_off"
_FORMER = "watt_range"  # SimGrid's name until 3.27


class LinkPower(NamedTuple):
    """A link's number and name, and its watts while it carries nothing, while it is full, and while it is off."""

    link: int
    name: str
    idle: float
    busy: float
    off: float


def link_powers(platform: Platform) -> list[LinkPower]:
    """Of all links that have ``wattage_range``, in their order; the others take no power.

    Raises:
        PlatformError: a property is not valid, or no link has any.
    """
    powers = []
    for link in platform.links_with(_RANGE):
        owner, text = f"link {link.name!r}", link.properties[_RANGE]
        watts = numbers(text)
        if len(watts) != 2:
            raise PlatformError(
                f"{platform.source}: property {_RANGE!r} of {owner} is {text!r} (valid: Idle:Busy, in watts, 0 or more,"
                " such as 10:13)"
            )
        powers.append(
            LinkPower(link.index, link.name, watts[0], watts[1], number(link.properties, _OFF, owner, platform.source))
        )
    if not powers:
        former = platform.links_with(_FORMER)
        hint = f"; link {former[0].name!r} has {_FORMER!r}, which is the former name of that" if former else ""
        raise PlatformError(
            f"{platform.source}: energy of links was asked for, but no link has a property {_RANGE!r}, such as "
            f'<prop id="{_RANGE}" value="10:13"/>: watts while it carries nothing, and while it is full{hint}'
        )
    return powers
