"""Dragonflies, as SimGrid defines them, after the Cray Cascade: G. Faanes et al., SC 2012."""

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.base import ClusterOfHosts, multiplied
from pysmpi.platform.topology import WITH_DETOURS, Shape, pair_count, parse_parts

__all__ = ["Dragonfly"]


@dataclass(frozen=True)
class Dragonfly(ClusterOfHosts):
    """A dragonfly like the Cray Cascade: groups consist of chassis, chassis of blades, and each blade has several
    hosts. ``routing``: minimal, valiant, ugal or ugal-l."""

    topology = "DRAGONFLY"
    short_name = "dragonfly"
    syntax = "groups,blue;chassis,black;blades,green;hosts"
    example = "3,4;3,2;4,1;2"
    routings = WITH_DETOURS
    in_simgrid = True

    groups: int
    """Number of groups, at most the number of blades in a chassis."""
    chassis: int
    """Number of chassis in a group."""
    blades: int
    """Number of blades in a chassis; each blade is a router."""
    hosts: int
    """Number of hosts on a blade."""
    blue_cables: int = field(default=1, kw_only=True)
    """Number of cables bundled into the link between two groups."""
    black_cables: int = field(default=1, kw_only=True)
    """Number of cables bundled into each link between two chassis of a group; every blade has such a link."""
    green_cables: int = field(default=1, kw_only=True)
    """Number of cables bundled into the link between two blades of a chassis."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        kinds = ("groups and blue links", "chassis and black links", "blades and green links", "hosts of a blade")
        (groups, blue), (chassis, black), (blades, green), (hosts,) = parse_parts(cls, text, what, kinds, (2, 2, 2, 1))
        if groups > blades:
            raise PlatformError(
                f"{what}: {groups} groups need {groups} blades in a chassis, but there are {blades}; blade n of a "
                f"group's first chassis has the link to group n"
            )
        factors = (groups, chassis, blades, hosts)
        in_group = chassis * pair_count(blades) + pair_count(chassis) * blades
        cables = math.prod(factors) + groups * in_group + pair_count(groups)
        return Shape((groups, blue, chassis, black, blades, green, hosts), factors, cables, groups * chassis * blades)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        groups, blue, chassis, black, blades, green, hosts = cls.parse(text, what).values
        return cls(groups, chassis, blades, hosts, blue_cables=blue, black_cables=black, green_cables=green, **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the number of cables between two halves of the groups, or of hosts in one half if that is lower.

        Source: J. Kim et al., ISCA 2008. The result is None for an odd number of groups, or if the links inside groups
        cannot carry that rate to and from the routers that hold the links between groups.
        """
        groups, blue, chassis, black, blades, green, hosts = shape.values
        if groups % 2:
            return None
        across = groups // 2
        rate = min(blue, chassis * blades * hosts / across)
        wide = rate / blades <= green and (chassis == 1 or max(rate, across * rate / blades) / chassis <= black)
        return across * across * rate if wide else None

    @classmethod
    def chassis_of(cls, shape: Shape, host: int) -> tuple[int, int]:
        _, _, chassis, _, blades, _, hosts = shape.values
        return divmod(host // (hosts * blades), chassis)

    def grown(self, factor: Fraction) -> Self:
        return replace(self, groups=multiplied(self.groups, factor, "groups"))

    def parameters(self) -> str:
        groups, chassis, blades, hosts = map(self._count, ("groups", "chassis", "blades", "hosts"))
        blue, black, green = map(self._count, ("blue_cables", "black_cables", "green_cables"))
        return f"{groups},{blue};{chassis},{black};{blades},{green};{hosts}"
