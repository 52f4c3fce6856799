"""Dragonfly topologies, as SimGrid defines them after the Cray Cascade (G. Faanes et al., SC 2012), and as SST/macro
defines them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Self
from xml.etree import ElementTree

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts, multiplied
from pysmpi.platform.topology import AS_IN_SST, WITH_DETOURS, Shape, pair_count, parse_parts

__all__ = ["Dragonfly"]


@dataclass(frozen=True)
class Dragonfly(ClusterOfHosts):
    """A dragonfly like the Cray Cascade: groups consist of chassis, chassis of blades, and each blade has several
    hosts. A blade is a router. It is joined to all blades of its chassis, and to the blade with the same number in each
    other chassis of its group. The argument ``routing`` may be minimal, valiant, ugal or ugal-l, and with
    `global_cables` also ugal-sst7 (see docs/topologies.md)."""

    topology = "DRAGONFLY"
    short_name = "dragonfly"
    syntax = "groups,blue;chassis,black;blades,green;hosts[;global]"
    example = "3,4;3,2;4,1;2"
    routings = WITH_DETOURS
    in_simgrid = True

    groups: int
    """Number of groups; without `global_cables` at most the number of blades in a chassis."""
    chassis: int
    """Number of chassis in a group."""
    blades: int
    """Number of blades in a chassis; each blade is a router."""
    hosts: int
    """Number of hosts on a blade."""
    blue_cables: int = field(default=1, kw_only=True)
    """Number of parallel cables in each link between two groups (blue links)."""
    black_cables: int = field(default=1, kw_only=True)
    """Number of parallel cables in each link between two chassis of a group (black links); every blade has such a link
    to each other chassis."""
    green_cables: int = field(default=1, kw_only=True)
    """Number of parallel cables in the link between two blades of a chassis (green links)."""
    global_cables: int | None = field(default=None, kw_only=True)
    """Number h of links of each blade to other groups, arranged as in SST/macro, or None for SimGrid's one link between
    two groups. With G groups, blade q of group g has a link to each group (g + q + d s) mod G, for d from 0 to h - 1,
    where s is G / h rounded down, but at least 1. The blades of a group are numbered through, chassis by chassis."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        kinds = ["groups and blue links", "chassis and black links", "blades and green links", "hosts of a blade"]
        counts = [2, 2, 2, 1]
        if text.count(";") == 4:
            kinds.append("links of a blade to other groups")
            counts.append(1)
        parts = parse_parts(cls, text, what, kinds, counts)
        (groups, blue), (chassis, black), (blades, green), (hosts,) = parts[:4]
        ((links,),) = parts[4:] or [[0]]
        routers = chassis * blades
        if links:
            _check_reach(groups, routers, links, what)
        elif groups > blades:
            raise PlatformError(
                f"{what}: {groups} groups need {groups} blades in a chassis, but there are {blades}; blade n of a "
                f"group's first chassis has the link to group n"
            )
        factors = (groups, chassis, blades, hosts)
        in_group = chassis * pair_count(blades) + pair_count(chassis) * blades
        between = groups * routers * links if links else pair_count(groups)
        values = (groups, blue, chassis, black, blades, green, hosts, links)
        return Shape(values, factors, math.prod(factors) + groups * in_group + between, groups * routers)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        groups, blue, chassis, black, blades, green, hosts, links = cls.parse(text, what).values
        return cls(
            groups,
            chassis,
            blades,
            hosts,
            blue_cables=blue,
            black_cables=black,
            green_cables=green,
            global_cables=links or None,
            **settings,
        )

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the bisection bandwidth in units of a cable's bandwidth, or None if no formula applies.

        It is the number of cables between two halves of the groups, or the number of hosts in one half if that is
        lower (J. Kim et al., ISCA 2008). No formula applies to an odd number of groups or with `global_cables`, or if
        the links inside groups cannot carry that rate to and from the routers that hold the links between groups.
        """
        groups, blue, chassis, black, blades, green, hosts, links = shape.values
        if groups % 2 or links:
            return None
        across = groups // 2
        rate = min(blue, chassis * blades * hosts / across)
        wide = rate / blades <= green and (chassis == 1 or max(rate, across * rate / blades) / chassis <= black)
        return across * across * rate if wide else None

    @classmethod
    def routings_of(cls, parameters: str) -> Mapping[str, int]:
        return {**cls.routings, **AS_IN_SST} if parameters.count(";") == 4 else cls.routings

    @classmethod
    def chassis_of(cls, shape: Shape, host: int) -> tuple[int, int]:
        _, _, chassis, _, blades, _, hosts, _ = shape.values
        return divmod(host // (hosts * blades), chassis)

    def grown(self, factor: Fraction) -> Self:
        return replace(self, groups=multiplied(self.groups, factor, "groups"))

    def parameters(self) -> str:
        groups, chassis, blades, hosts = map(self._count, ("groups", "chassis", "blades", "hosts"))
        blue, black, green = map(self._count, ("blue_cables", "black_cables", "green_cables"))
        parameters = f"{groups},{blue};{chassis},{black};{blades},{green};{hosts}"
        return parameters if self.global_cables is None else f"{parameters};{self._count('global_cables')}"

    def element(self) -> ElementTree.Element:
        if self.global_cables is not None:
            raise PlatformError(
                f"SimGrid's XML has no dragonflies with global_cables; {type(self).__name__} {self.name!r} cannot be "
                "written"
            )
        return super().element()


def _check_reach(groups: int, routers: int, links: int, what: str) -> None:
    """Check that the routers of a group together have a link to every other group.

    Args:
        groups: number of groups.
        routers: number of routers in a group.
        links: number of links of each router to other groups.
        what: place of the parameters, for errors.

    Raises:
        PlatformError: no router has a link to some group.
    """
    step = max(1, groups // links)
    reached = {(router + link * step) % groups for router in range(min(routers, groups)) for link in range(links)}
    if missing := set(range(1, groups)) - reached:
        raise PlatformError(
            f"{what}: {routers} routers with {links} links each do not reach all {groups} groups: none leads "
            f"{min(missing)} groups further; give more links or routers"
        )
