"""Power of links, from SimGrid's platform properties (3.32, src/plugins/link_energy.cpp).

``wattage_range`` holds ``Idle:Busy`` in watts: the power of an idle link, and of a link with its whole bandwidth in
use. In between, power grows linearly with the load. ``wattage_off`` is the power of a link that is off (default 0).
"""

from typing import NamedTuple

from pysmpi.errors import PlatformError
from pysmpi.platform import Platform
from pysmpi.simulation.instruments.energy.properties import number, numbers

__all__ = ["LinkPower", "link_powers"]

_RANGE, _OFF = "wattage_range", "wattage_off"
_FORMER = "watt_range"  # SimGrid's name until 3.27


class LinkPower(NamedTuple):
    """Power of a link: its index and name, and watts while idle, at full load, and while off."""

    link: int
    name: str
    idle: float
    busy: float
    off: float


def link_powers(platform: Platform) -> list[LinkPower]:
    """Return the power of each link that has ``wattage_range``, in platform order. Other links consume no energy.

    Raises:
        PlatformError: if a property is not valid, or no link has one.
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
        hint = f"; link {former[0].name!r} has {_FORMER!r}, the former name of this property" if former else ""
        raise PlatformError(
            f"{platform.source}: energy of links was asked for, but no link has a property {_RANGE!r}, such as "
            f'<prop id="{_RANGE}" value="10:13"/>: watts of an idle link, and at full load{hint}'
        )
    return powers
