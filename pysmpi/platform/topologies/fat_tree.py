"""Fat trees, as SimGrid defines them, after E. Zahavi, CCIT report 776, 2010."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from pysmpi.errors import PlatformError
from pysmpi.platform.topologies.cluster_of_hosts import ClusterOfHosts, joined, multiplied
from pysmpi.platform.topology import BY_UPWARD_PORT, Shape, parse_parts

__all__ = ["FatTree"]

MAX_LEVELS = 32


@dataclass(frozen=True)
class FatTree(ClusterOfHosts):
    """A tree of switches, described level by level from the hosts up. A node is a host or a switch of a lower level.
    The argument ``routing`` may be d-mod-k, random or turns (see docs/topologies.md)."""

    topology = "FAT_TREE"
    short_name = "fattree"
    syntax = "levels;children,…;parents,…;cables,…"
    example = "2;8,8;1,4;1,1"
    routings = BY_UPWARD_PORT
    in_simgrid = True

    children: Sequence[int]
    """For each level of switches from the hosts up, the number of nodes below each switch."""
    parents: Sequence[int]
    """For each level of switches, the number of its switches to which each node below it is joined."""
    cables: Sequence[int] | None = None
    """For each level of switches, the number of parallel cables between a switch and a node below it; by default 1."""

    @classmethod
    def parse(cls, text: str, what: str) -> Shape:
        kinds = ("levels", "children", "parents", "cables")
        levels, *lists = parse_parts(cls, text, what, kinds, (None,) * 4)
        if len(levels) != 1 or levels[0] > MAX_LEVELS:
            raise PlatformError(f"{what}: the first part is the number of levels, from 1 to {MAX_LEVELS}")
        for numbers, kind in zip(lists, kinds[1:], strict=True):
            if len(numbers) != levels[0]:
                raise PlatformError(
                    f"{what}: {levels[0]} levels, but {len(numbers)} numbers of {kind} ({joined(numbers)!r})"
                )
        nodes = math.prod(lists[0])
        cables = switches = 0
        for children, parents, parallel in zip(*lists, strict=True):
            cables += nodes * parents * parallel
            nodes = nodes // children * parents
            switches += nodes
        return Shape((*lists[0], *lists[1], *lists[2]), tuple(lists[0]), cables, switches)

    @classmethod
    def from_parameters(cls, text: str, what: str, settings: dict[str, Any]) -> Self:
        values = cls.parse(text, what).values
        levels = len(values) // 3
        return cls(values[:levels], values[levels : 2 * levels], values[2 * levels :], **settings)

    @classmethod
    def bisection_cables(cls, shape: Shape) -> float | None:
        """Return the bisection bandwidth in units of a cable's bandwidth, or None if no formula applies.

        It is half the number of cables of the level with the fewest cables (C. E. Leiserson, "Fat-trees", IEEE
        Transactions on Computers 34, 1985). No formula applies if the top switches have an odd number of subtrees.
        """
        values = shape.values
        levels = len(values) // 3
        while levels > 1 and values[levels - 1] == 1:  # switches with one child join nothing
            levels -= 1
        if values[levels - 1] % 2:
            return None
        storeys = zip(*(values[part * (len(values) // 3) :][:levels] for part in range(3)), strict=True)
        nodes, narrowest = math.prod(values[:levels]), math.inf
        for children, parents, cables in storeys:
            narrowest = min(narrowest, nodes * parents * cables / 2)
            nodes = nodes // children * parents
        return narrowest

    def grown(self, factor: Fraction) -> Self:
        *lower, top = self.children
        return replace(self, children=[*lower, multiplied(top, factor, "children of each switch of the top level")])

    def parameters(self) -> str:
        levels = [self._counts("children"), self._counts("parents", "children"), self._counts("cables", "children")]
        return ";".join([str(len(levels[0])), *map(joined, levels)])
