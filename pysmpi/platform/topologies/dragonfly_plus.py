"""The topology Dragonfly+, after A. Shpiner et al., HiPINEB 2017."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts, multiplied
from pysmpi.platform.topology import WITH_DETOURS, Shape, pair_count, parse_parts

__all__ = ["DragonflyPlus"]


@dataclass(frozen=True)
class DragonflyPlus(ClusterOfHosts):
    """Groups of leaf and spine switches. Hosts are on the leaves, and the spines have cables to other groups.

    The argument ``routing`` may be minimal, valiant, ugal or ugal-l (see docs/topologies.md).
    """

    topology = "DRAGONFLY_PLUS"
    short_name = "dragonfly+"
    syntax = "groups,cables;spines;leaves;hosts"
    example = "9,2;4;4;4"
    routings = WITH_DETOURS

    groups: int
    """Number of groups."""
    spines: int
    """Number of spine switches in a group."""
    leaves: int
    """Number of leaf switches in a group; each leaf has a cable to each spine of its group."""
    hosts: int
    """Number of hosts on a leaf."""
    cables: int = 1
    """Number of cables between any two groups."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        kinds = ("groups and cables between two of them", "spines of a group", "leaves of a group", "hosts of a leaf")
        (groups, between), (spines,), (leaves,), (hosts,) = parse_parts(cls, text, what, kinds, (2, 1, 1, 1))
        factors = (groups, leaves, hosts)
        cables = math.prod(factors) + groups * leaves * spines + pair_count(groups) * between
        return Shape((groups, between, spines, leaves, hosts), factors, cables, groups * (leaves + spines))

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        groups, cables, spines, leaves, hosts = cls.parse(text, what).values
        return cls(groups, spines, leaves, hosts, cables, **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the bisection bandwidth in units of a cable's bandwidth, or None if no formula applies.

        It is the number of cables between two halves of the groups, or the number of hosts in one half if that is
        lower. No formula applies to an odd number of groups, or if the links inside a group cannot carry that rate to
        its spine switches, which hold the cables to other groups.
        """
        groups, cables, spines, leaves, hosts = shape.values
        if groups % 2:
            return None
        across = groups // 2
        rate = min(cables, leaves * hosts / across)
        ports = -(-cables * (groups - 1) // spines)
        return across * across * rate if ports * rate / cables <= leaves else None

    def grown(self, factor: Fraction) -> Self:
        return replace(self, groups=multiplied(self.groups, factor, "groups"))

    def parameters(self) -> str:
        groups, cables, spines, leaves, hosts = map(self._count, ("groups", "cables", "spines", "leaves", "hosts"))
        return f"{groups},{cables};{spines};{leaves};{hosts}"
